const MINUTE = 60;
const HOUR = 3_600;

/** Seconds between one failed attempt and the next (Standard Webhooks 1.0, "Deliverability and reliability"). */
const PAUSES: readonly number[] = [
  5,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];
export const MAX_TRIES = PAUSES.length + 1;

/** Jitter as a part of the pause, so that messages that failed together are not retried together. */
const JITTER = 0.2;
/** The maximum `Retry-After` that is honored. */
const MAX_RETRY_AFTER_SECONDS = 24 * HOUR;

/** The outcome of one attempt. */
export interface WebhookOutcome {
  /** HTTP status; null if there was no answer. */
  readonly status: number | null;
  /** Seconds, from `Retry-After`. */
  readonly retryAfter: number | null;
  /** One word; null if received. */
  readonly error:
    'target_refused' | 'timeout' | 'no_answer' | 'redirect' | 'gone' | 'unexpected_status' | 'secret_unreadable' | null;
}

/** `gone`: the receiver wants no more messages at all. */
export type WebhookVerdict = 'delivered' | 'gone' | 'failed' | { readonly retryInSeconds: number };

/** One word for a status; 2xx means received, everything else does not. */
export function errorOf(status: number): WebhookOutcome['error'] {
  if (status >= 200 && status < 300) return null;
  if (status === 410) return 'gone';
  return status >= 300 && status < 400 ? 'redirect' : 'unexpected_status';
}

/**
 * @param attempt 1 is the first one, or the first after a replay
 * @param chance from 0 up to, not including, 1
 */
export function judgeOutcome(
  { error, retryAfter }: Pick<WebhookOutcome, 'error' | 'retryAfter'>,
  attempt: number,
  chance: number,
): WebhookVerdict {
  if (error === null) return 'delivered';
  if (error === 'gone') return 'gone';
  const pause = PAUSES[attempt - 1];
  if (pause === undefined) return 'failed';
  return {
    retryInSeconds: Math.max(pause * (1 + JITTER * chance), Math.min(retryAfter ?? 0, MAX_RETRY_AFTER_SECONDS)),
  };
}
