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

/** Messages that failed together do not come back together: up to this part of the pause on top of it. */
const JITTER = 0.2;
/** What a receiver asks for is honoured up to here. */
const LONGEST_ASKED = 24 * HOUR;

/** What came of one attempt. */
export interface WebhookOutcome {
  /** HTTP status; null where there was no answer. */
  readonly status: number | null;
  /** Seconds, from `Retry-After`. */
  readonly retryAfter: number | null;
  /** One word; null where received. */
  readonly error: 'target_refused' | 'timeout' | 'no_answer' | 'redirect' | 'gone' | 'unexpected_status' | null;
}

/** `gone`: not this message alone, the receiver wants nothing any more. */
export type WebhookVerdict = 'delivered' | 'gone' | 'failed' | { readonly retryInSeconds: number };

/** In one word what a status says; 2xx says that it was received, whatever else does not. */
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
  return { retryInSeconds: Math.max(pause * (1 + JITTER * chance), Math.min(retryAfter ?? 0, LONGEST_ASKED)) };
}
