import { createHash, timingSafeEqual } from 'node:crypto';
import type { Randomness } from '../../../../common/randomness.js';

export const BACKUP_CODE_COUNT = 10;
/** Base 32 without look-alikes (Crockford), 5 bits per letter: 60 bits. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LENGTH = 12;

/** For example `7K3M-P9QX-2TRW`. */
export function newBackupCode(randomness: Randomness): string {
  const letters = [...randomness.bytes(LENGTH)].map((byte) => ALPHABET[byte % ALPHABET.length]!).join('');
  return letters.replace(/.{4}(?=.)/g, '$&-');
}

/** Normalizes a code as typed: lower case, blanks, other dashes, look-alikes. Null if it cannot be a backup code. */
export function readBackupCode(typed: string): string | null {
  const letters = typed.toUpperCase().replace(/[\s\-–—]/g, '');
  const plain = letters.replace(/O/g, '0').replace(/[IL]/g, '1');
  return plain.length === LENGTH && [...plain].every((letter) => ALPHABET.includes(letter)) ? plain : null;
}

/** 60 random bits need no slow hash. The salt gives equal codes of two users different hashes. */
export function hashBackupCode(code: string, salt: Buffer): Buffer {
  return createHash('sha256').update(salt).update(code, 'utf8').digest();
}

export function matchesBackupCode(code: string, stored: { readonly salt: Buffer; readonly codeHash: Buffer }): boolean {
  return timingSafeEqual(hashBackupCode(code, stored.salt), stored.codeHash);
}
