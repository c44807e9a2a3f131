import type { Randomness } from '../../common/randomness.js';
import { inGroups, newCode, readCode } from '../../crypto/crockford.js';
import { hashOpaqueToken } from '../../crypto/opaque-token.js';

/** 40 bits: with at most {@link MAX_WRONG_CODES} tries for each code, a code cannot be guessed. */
const LENGTH = 8;
export const CODE_SECONDS = 1800;
/** Number of wrong codes after which a change is cancelled. */
export const MAX_WRONG_CODES = 5;

/** For example `7K3M-P9QX`. */
export function newEmailCode(randomness: Randomness): string {
  return inGroups(newCode(randomness, LENGTH));
}

/**
 * Hash of the code as a user may type it.
 * @param id id of the change, so that equal codes have different hashes
 */
export function hashEmailCode(id: string, code: string): Buffer {
  return hashOpaqueToken(`${id}:${readCode(code, LENGTH) ?? ''}`);
}
