import type { AccessClaims } from './token-use.js';

/**
 * When the sign-in behind an access token began, in Unix milliseconds: what is compared with `tokens_valid_from`.
 *
 * Not when the token itself was issued. A refresh that overlaps a reset does not wait for it, so its token may be
 * younger than the reset; but its family is not, and a token lives no longer than its family. Both times come from the
 * database's clock, written under the same row lock, so neither a second nor a process whose clock is ahead lets a token
 * from before a reset pass, and one from a sign-in after it is good at once.
 *
 * A token of the version before says seconds only: it counts as issued at the beginning of its second.
 * @returns -1, which is older than everything, where the claim is not a time
 */
export function signedInAtMs({ signed_in_at_ms: ms, iat }: Pick<AccessClaims, 'signed_in_at_ms' | 'iat'>): number {
  if (ms === undefined) return iat * 1000;
  return Number.isSafeInteger(ms) && ms >= 0 ? ms : -1;
}
