import type { Randomness } from '../../../common/randomness.js';
import { hashOpaqueToken } from '../../../crypto/opaque-token.js';

/** RFC 8628 section 6.1: no vowels, so that no code is a word, and no letters that look like digits. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const LENGTH = 8;
const WELL_FORMED = new RegExp(`^[${LETTERS}]{${LENGTH}}$`);
/** 128 bits for 20^8 codes: the remainder of the division gives no code a noticeable advantage. */
const RANDOM_BYTES = 16;

/** 34 random bits. Guesses are limited, see `device_code_failures`. */
export function newUserCode(randomness: Randomness): string {
  let bits = BigInt(`0x${randomness.bytes(RANDOM_BYTES).toString('hex')}`);
  let code = '';
  for (let place = 0; place < LENGTH; place++) {
    code += LETTERS[Number(bits % BigInt(LETTERS.length))]!;
    bits /= BigInt(LETTERS.length);
  }
  return code;
}

/** Normalizes a code as typed. Null if it cannot be a code. */
export function readUserCode(text: string): string | null {
  if (text.length > 64) return null;
  const plain = text
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[\s\p{Pd}_.]/gu, '');
  return WELL_FORMED.test(plain) ? plain : null;
}

/** In the format of devices: `BCDF-GHJK`. */
export function shownUserCode(code: string): string {
  return `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`;
}

export function hashUserCode(code: string): Buffer {
  return hashOpaqueToken(code);
}
