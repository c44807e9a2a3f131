import { backoffSeconds } from '../../delivery/outbox/retry.rules.js';
import type { NotificationStatus } from '../notifications/notification.entity.js';
import type { AttemptResponse } from '../transports/push-transport.js';

/** A delivery with `ttl` 0 is sent at once or never; this delay still counts as at once. */
const NOW_SECONDS = 60;

/** The remaining time of a delivery at one of its attempts. */
export interface DeliveryTime {
  /** 1 at the first attempt. */
  readonly attempt: number;
  /** Seconds, as requested by the app. */
  readonly ttl: number;
  /** Seconds until the notification expires; negative if it has expired. */
  readonly secondsLeft: number;
}

/** The receiver, as read from the database right before the attempt. */
export interface Recipient {
  /** User, enrollment, app and tenant are active and push is on. */
  readonly isAdmitted: boolean;
  readonly hasDevice: boolean;
  /** The device is still registered for that user, and not for another one. */
  readonly isTheirDevice: boolean;
  /** The device has not answered for some time, and nothing is sent to it now. */
  readonly isPutAside: boolean;
}

/** The error code for the app; null on success. */
export type DeliveryError =
  | 'not_configured'
  | 'unregistered'
  | 'user_not_enrolled'
  | 'rejected'
  | 'unauthorized'
  | 'too_large'
  | 'rate_limited'
  | 'unavailable'
  | 'timeout'
  | 'connection_failed';

/** `silentHost`: the push server, named by the browser, that did not answer or was unavailable. */
export type DeliveryVerdict =
  | { readonly end: 'delivered' }
  | {
      readonly end: 'failed';
      readonly error: DeliveryError;
      readonly forgetDevice?: true;
      readonly silentHost?: string;
    }
  | { readonly end: 'expired'; readonly error: DeliveryError | null; readonly silentHost?: string }
  | { readonly retryInSeconds: number; readonly error: DeliveryError; readonly silentHost?: string };

/** The outcome without an attempt, or null if an attempt is to be made. */
export function preflight(recipient: Recipient, time: DeliveryTime, lastError: DeliveryError | null) {
  if (isExpired(time)) return { end: 'expired', error: lastError } as const;
  if (!recipient.hasDevice) return { end: 'failed', error: 'unregistered' } as const;
  if (!recipient.isAdmitted || !recipient.isTheirDevice) return { end: 'failed', error: 'user_not_enrolled' } as const;
  // Only with `ttl` 0; other deliveries to a device that is put aside wait in the database.
  if (recipient.isPutAside) return { end: 'failed', error: 'unavailable' } as const;
  return null;
}

/**
 * The outcome of a delivery after an attempt.
 * @param chance random number from 0 up to but not including 1, so that deliveries that failed together are not retried
 * together
 */
export function judgeAnswer(answer: AttemptResponse, time: DeliveryTime, chance: number): DeliveryVerdict {
  switch (answer.kind) {
    case 'taken':
      return { end: 'delivered' };
    case 'gone':
      return { end: 'failed', error: 'unregistered', forgetDevice: true };
    case 'not_sent':
      return { end: 'failed', error: answer.error };
    case 'unanswered':
      return { ...again(answer.error, null, time, chance), silentHost: answer.host };
    case 'refused':
      return judgeRefusal(answer, time, chance);
  }
}

/** The status of a notification from all its deliveries; null while some are in progress. */
export function statusOf(count: {
  readonly devices: number;
  readonly delivered: number;
  readonly failed: number;
  readonly expired: number;
}): Exclude<NotificationStatus, 'queued' | 'no_devices'> | null {
  if (count.delivered + count.failed + count.expired < count.devices) return null;
  if (count.delivered === count.devices) return 'sent';
  if (count.delivered > 0) return 'partial';
  return count.failed > 0 ? 'failed' : 'expired';
}

function judgeRefusal(
  { status, retryAfter, host }: Extract<AttemptResponse, { kind: 'refused' }>,
  time: DeliveryTime,
  chance: number,
): DeliveryVerdict {
  if (status === 429) return again('rate_limited', retryAfter, time, chance);
  if (status === 408 || status >= 500) return { ...again('unavailable', retryAfter, time, chance), silentHost: host };
  if (status === 401 || status === 403) return { end: 'failed', error: 'unauthorized' };
  if (status === 413) return { end: 'failed', error: 'too_large' };
  return { end: 'failed', error: 'rejected' };
}

/** Retries later if there is time left. The `Retry-After` of the provider applies if it is longer than our delay. */
function again(error: DeliveryError, retryAfter: number | null, time: DeliveryTime, chance: number) {
  const retryInSeconds = Math.max(retryAfter ?? 0, backoffSeconds(time.attempt, chance));
  if (time.ttl === 0) return { end: 'failed', error } as const;
  return retryInSeconds < time.secondsLeft ? { retryInSeconds, error } : ({ end: 'expired', error } as const);
}

function isExpired({ attempt, ttl, secondsLeft }: DeliveryTime): boolean {
  return secondsLeft <= (ttl === 0 && attempt === 1 ? -NOW_SECONDS : 0);
}
