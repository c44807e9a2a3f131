import type { Response } from 'express';
import type { Message } from '../../../common/i18n/message.js';
import { tooManyAttempts } from '../../../common/pages/durations.js';
import { RateLimited } from '../../../rate-limits/rate-limited.js';

/** The text of a form that is refused with 429, and its `Retry-After`. @throws every other error again */
export function limitedForm(error: unknown, response: Response): Message {
  if (!(error instanceof RateLimited)) throw error;
  response.setHeader('Retry-After', error.retryAfterSeconds);
  return tooManyAttempts(error.retryAfterSeconds);
}
