import { readArgon2, type StoredArgon2 } from './password-formats/argon2.js';
import { readBcrypt, storableBcrypt, type StoredBcrypt, withoutCutMark } from './password-formats/bcrypt.js';
import { readPbkdf2, type StoredPbkdf2 } from './password-formats/pbkdf2.js';
import { readScrypt, type StoredScrypt } from './password-formats/scrypt.js';

/**
 * The parts of a stored string. The service's own hashes are bcrypt; the others are imported and replaced at the next
 * sign-in.
 */
export type StoredPassword = StoredBcrypt | StoredForeign;
export type StoredForeign = StoredArgon2 | StoredScrypt | StoredPbkdf2;

/** Null: unknown format, or more expensive than the bounds allow. It matches no password. */
export function readStoredPassword(stored: string): StoredPassword | null {
  return readBcrypt(stored) ?? readArgon2(stored) ?? readScrypt(stored) ?? readPbkdf2(stored);
}

/**
 * The string to store for a hash of another system, or for one that this service has exported. Null: unknown format, or
 * beyond the bounds.
 */
export function storablePassword(text: string): string | null {
  if (text.length > 512) return null;
  return storableBcrypt(text) ?? (readBcrypt(text) === null && readStoredPassword(text) ? text : null);
}

/** A stored string in the format that other systems read, without the service's own marks. */
export function standardPasswordString(stored: string): string {
  return withoutCutMark(stored);
}
