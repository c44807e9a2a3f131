import type { Response } from 'express';
import type { FormError } from '../../../common/pages/form-error.js';
import { fieldOf, judgeSecondFactorError } from '../../hosted-sign-in/steps/second-factor/second-factor.pages.js';
import type { Fields } from '../page/account-visits.js';

/** What a page of the second factor shows once more: its errors, with the status of the answer. */
export interface Again {
  readonly status: number;
  readonly errors: readonly FormError[];
}

/** As at the sign-in. @throws the error itself if the user can do nothing about it */
export function againAfter(error: unknown, form: Fields, response: Response): Again {
  const outcome = judgeSecondFactorError(error, fieldOf(form));
  if (outcome.retryAfter !== undefined) response.setHeader('Retry-After', outcome.retryAfter);
  return outcome;
}
