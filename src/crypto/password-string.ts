import { readArgon2, type StoredArgon2 } from './password-formats/argon2.js';
import { readBcrypt, storableBcrypt, type StoredBcrypt, withoutCutMark } from './password-formats/bcrypt.js';
import { readPbkdf2, type StoredPbkdf2 } from './password-formats/pbkdf2.js';
import { readScrypt, type StoredScrypt } from './password-formats/scrypt.js';

/** A stored string taken apart. Ours are bcrypt; the rest came by import and lasts until the next sign-in. */
export type StoredPassword = StoredBcrypt | StoredForeign;
export type StoredForeign = StoredArgon2 | StoredScrypt | StoredPbkdf2;

/** Null for a string that no function knows, or that would cost more than the bounds allow: it matches nothing. */
export function readStoredPassword(stored: string): StoredPassword | null {
  return readBcrypt(stored) ?? readArgon2(stored) ?? readScrypt(stored) ?? readPbkdf2(stored);
}

/** The string to store for a hash made elsewhere (or exported by us). Null: unknown form, or beyond the bounds. */
export function storablePassword(text: string): string | null {
  if (text.length > 512) return null;
  return storableBcrypt(text) ?? (readBcrypt(text) === null && readStoredPassword(text) ? text : null);
}

/** A stored string as other systems read it: what only we need is taken off. */
export function standardPasswordString(stored: string): string {
  return withoutCutMark(stored);
}
