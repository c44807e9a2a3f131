import type { Randomness } from '../common/randomness.js';

/** Crockford's base 32: without I, L, O and U, so that a code can be read aloud and copied by hand. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const NOT_IN_ALPHABET = new RegExp(`[^${ALPHABET}]`);
const MAX_TYPED_LENGTH = 64;

/** @param length number of letters and digits, of five random bits each */
export function newCode(randomness: Randomness, length: number): string {
  // 256 is a multiple of 32, so the five low bits of a random byte are uniform.
  return Array.from(randomness.bytes(length), (byte) => ALPHABET[byte & 31]).join('');
}

/** For example `7K3M-P9QX-2TRW`. */
export function inGroups(code: string): string {
  return code.replace(/.{4}(?=.)/g, '$&-');
}

/**
 * Normalizes a code as typed: lower case, spaces, hyphens and dashes, O, I and L in place of digits, full-width letters.
 * @returns null if it cannot be a code of this length
 */
export function readCode(text: string, length: number): string | null {
  if (text.length > MAX_TYPED_LENGTH) return null;
  const plain = text
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[\s\p{Pd}_.]/gu, '')
    .replaceAll('O', '0')
    .replace(/[IL]/g, '1');
  return plain.length === length && !NOT_IN_ALPHABET.test(plain) ? plain : null;
}
