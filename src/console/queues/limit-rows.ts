import { readLimitedAddress } from '../../admin/users/limits/user-limits.rules.js';
import { findableParts } from '../../rate-limits/counters/counter-keys.rules.js';
import type { RateLimitRecord } from '../../rate-limits/rate-limits.service.js';
import { column } from '../frame/lists/table-column.js';
import { limitWords } from './queue-words.js';
import { waitInEnglish } from '../../common/pages/durations.js';

export const LIMIT_COLUMNS = [
  column('Limit'),
  column('User or IP'),
  column('Attempts', { className: 'number' }),
  column('Left'),
];

/** Counters by user id. All others have a page here: e-mail address, network address or client. */
const BY_USER: ReadonlySet<string> = new Set([
  'send_verification',
  'continued_sign_ins',
  'own_account',
  'totp',
  'totp_failures',
  'totp_lock',
]);

/** Model of the partial `console/limit-rows`. */
export function limitRow({ label, key, count, ttl, points }: RateLimitRecord) {
  const [subject] = findableParts(key) as [string];
  const hasPage = !BY_USER.has(label) && readLimitedAddress(subject) !== null;
  return {
    label,
    what: limitWords({ label, key }),
    key,
    href: hasPage ? limitsPath(subject) : null,
    count,
    points,
    left: waitInEnglish(ttl),
  };
}

export function limitsPath(address: string): string {
  return `/console/queues/limits?${new URLSearchParams({ address }).toString()}`;
}
