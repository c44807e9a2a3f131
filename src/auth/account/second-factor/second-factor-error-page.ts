import type { Response } from 'express';
import type { FormError } from '../../../common/pages/form-error.js';
import { fieldOf, judgeSecondFactorError } from '../../hosted-sign-in/steps/second-factor/second-factor.pages.js';
import type { Fields } from '../page/account-visits.js';

/** A page of the second factor with its errors, and the status of the response. */
export interface SecondFactorErrorPage {
  readonly status: number;
  readonly errors: readonly FormError[];
}

/** As at the sign-in. @throws the error itself if the user cannot correct it */
export function errorPageAfter(error: unknown, form: Fields, response: Response): SecondFactorErrorPage {
  const outcome = judgeSecondFactorError(error, fieldOf(form));
  if (outcome.retryAfter !== undefined) response.setHeader('Retry-After', outcome.retryAfter);
  return outcome;
}
