import { PermanentFailure } from './permanent-failure.js';
import { RetryLater } from './retry-later.js';

export const DEFAULT_MAX_ATTEMPTS = 15;

const FIRST_DELAY_SECONDS = 5;
const MAX_DELAY_SECONDS = 3_600;
/** The maximum `Retry-After` of a receiver that is honored. */
const MAX_RETRY_AFTER_SECONDS = 7 * 86_400;

/**
 * Seconds to wait after the given failed attempt (1 is the first): 5 s, doubled each time up to an hour. The second
 * half of the time is random, so that jobs that failed together are not retried together.
 * @param chance from 0, inclusive, to 1, exclusive
 */
export function backoffSeconds(attempt: number, chance: number): number {
  const full = Math.min(FIRST_DELAY_SECONDS * 2 ** (attempt - 1), MAX_DELAY_SECONDS);
  return full / 2 + (full / 2) * chance;
}

/** The outcome of a job whose handler threw. */
export type FailureVerdict = { readonly retryInSeconds: number } | 'dead';

export function judgeFailure(
  error: unknown,
  message: { readonly attempts: number; readonly maxAttempts: number },
  chance: number,
): FailureVerdict {
  if (error instanceof PermanentFailure || message.attempts >= message.maxAttempts) return 'dead';
  if (error instanceof RetryLater && Number.isFinite(error.seconds)) {
    return { retryInSeconds: Math.min(Math.max(error.seconds, 0), MAX_RETRY_AFTER_SECONDS) };
  }
  return { retryInSeconds: backoffSeconds(message.attempts, chance) };
}
