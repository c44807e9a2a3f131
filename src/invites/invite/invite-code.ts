import type { Randomness } from '../../common/randomness.js';

/** Crockford's base 32: without I, L, O and U, so that a code can be read aloud and copied by hand. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LENGTH = 13;
const WELL_FORMED = new RegExp(`^[${ALPHABET}]{${LENGTH}}$`);

/** 65 random bits. */
export function newInviteCode(randomness: Randomness): string {
  // 256 is a multiple of 32, so the five low bits of a random byte are uniform.
  return Array.from(randomness.bytes(LENGTH), (byte) => ALPHABET[byte & 31]).join('');
}

/** Normalizes a code as typed. Null if it cannot be a code. */
export function readInviteCode(text: string): string | null {
  if (text.length > 64) return null;
  const plain = text
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[\s\p{Pd}_.]/gu, '')
    .replaceAll('O', '0')
    .replace(/[IL]/g, '1');
  return WELL_FORMED.test(plain) ? plain : null;
}
