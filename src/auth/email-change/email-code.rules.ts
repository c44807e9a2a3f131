import { hashOpaqueToken } from '../../crypto/opaque-token.js';

/** Crockford's base 32, without I, L, O and U. */
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** 40 bits: with at most {@link MAX_WRONG_CODES} tries for each code, a code cannot be guessed. */
export const CODE_BYTES = 5;
export const CODE_SECONDS = 1800;
/** Number of wrong codes after which a change is cancelled. */
export const MAX_WRONG_CODES = 5;

/**
 * @param bytes {@link CODE_BYTES} random bytes
 * @returns eight letters and digits in two groups, separated by a hyphen
 */
export function emailCode(bytes: Buffer): string {
  let bits = BigInt(`0x${bytes.toString('hex')}`);
  let text = '';
  for (let place = 0; place < 8; place++) {
    text = LETTERS[Number(bits % 32n)]! + text;
    bits /= 32n;
  }
  return `${text.slice(0, 4)}-${text.slice(4)}`;
}

/**
 * Hash of the code as a user may type it: in lower case, with spaces, or with O, I and L in place of digits.
 * @param id id of the change, so that equal codes have different hashes
 */
export function hashEmailCode(id: string, code: string): Buffer {
  const plain = code.toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1');
  return hashOpaqueToken(`${id}:${plain}`);
}
