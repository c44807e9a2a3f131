import type { AccessClaims } from './token-use.js';

/**
 * When the sign-in of an access token began, in Unix milliseconds, for comparison with `tokens_valid_from`.
 *
 * The issue time of the token would not work: a refresh that runs at the same time as a reset may issue its token after
 * it. The family began before the reset, and a token is valid no longer than its family. Both times come from the
 * database's clock and are written under the same row lock, so neither rounding to seconds nor a process with a fast
 * clock lets a token from before a reset pass, and a token of a sign-in after it is valid at once.
 *
 * A token of the previous version has only seconds, and counts as issued at the beginning of its second.
 * @returns -1, which is earlier than any time, if the claim is not a time
 */
export function signedInAtMs({ signed_in_at_ms: ms, iat }: Pick<AccessClaims, 'signed_in_at_ms' | 'iat'>): number {
  if (ms === undefined) return iat * 1000;
  return Number.isSafeInteger(ms) && ms >= 0 ? ms : -1;
}
