import { hashOpaqueToken } from '../../crypto/opaque-token.js';

/** Crockford's base 32: no I, L, O and U. */
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** 40 bits; with {@link MOST_TRIES} for each, guessing is hopeless. */
export const CODE_BYTES = 5;
export const CODE_SECONDS = 1800;
/** Wrong codes after which a change is over. */
export const MOST_TRIES = 5;

/** @param bytes {@link CODE_BYTES} random ones @returns eight letters and digits, in two groups */
export function emailCode(bytes: Buffer): string {
  let bits = BigInt(`0x${bytes.toString('hex')}`);
  let text = '';
  for (let place = 0; place < 8; place++) {
    text = LETTERS[Number(bits % 32n)]! + text;
    bits /= 32n;
  }
  return `${text.slice(0, 4)}-${text.slice(4)}`;
}

/** Of the code as a user may type it. @param id of the change: equal codes have different hashes */
export function hashEmailCode(id: string, code: string): Buffer {
  const plain = code.toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1');
  return hashOpaqueToken(`${id}:${plain}`);
}
