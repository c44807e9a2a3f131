import type { RateLimitRecord } from '../../rate-limits/rate-limits.service.js';
import { column } from '../frame/table-column.js';
import { LIMIT_WORDS, waitInWords } from './queue-words.js';

export const LIMIT_COLUMNS = [
  column('Limit'),
  column('Of whom'),
  column('Tries', { className: 'col-number number' }),
  column('Left', { className: 'col-when' }),
];

/** Counted by an e-mail or a network address, which has a page here whether it has an account or not. */
const BY_ADDRESS: ReadonlySet<string> = new Set([
  'login_email',
  'login_ip',
  'magic_link',
  'forgot_password',
  'forgot_password_ip',
  'signup_ip',
  'code_failures',
]);

/** For the partial `console/limit-rows`. @param points so many pass in a window */
export function limitRow({ label, key, count, ttl }: RateLimitRecord, points: number) {
  return {
    label,
    what: LIMIT_WORDS[label],
    key,
    href: BY_ADDRESS.has(label) ? limitsPath(key) : null,
    count,
    points,
    left: waitInWords(ttl),
  };
}

export function limitsPath(address: string): string {
  return `/console/queues/limits?${new URLSearchParams({ address }).toString()}`;
}
