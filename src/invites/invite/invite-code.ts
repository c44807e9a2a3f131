import type { Randomness } from '../../common/randomness.js';
import { newCode, readCode } from '../../crypto/crockford.js';

/** 65 random bits. */
const LENGTH = 13;

export function newInviteCode(randomness: Randomness): string {
  return newCode(randomness, LENGTH);
}

/** Normalizes a code as typed. Null if it cannot be a code. */
export function readInviteCode(text: string): string | null {
  return readCode(text, LENGTH);
}
