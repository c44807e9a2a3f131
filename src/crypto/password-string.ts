import { createHash } from 'node:crypto';

/** bcrypt ignores every byte after the 72nd. */
const BCRYPT_BYTES = 72;
const LONG_MARK = '$sha384';

/**
 * What bcrypt is given, and how the stored string is marked. Up to 72 bytes the password itself, so that the stored
 * string stays portable; above that base64(SHA-384(password)), 64 bytes, so that no byte is ever ignored.
 */
export function bcryptSecret(password: string): { secret: string; mark: string } {
  return Buffer.byteLength(password, 'utf8') <= BCRYPT_BYTES
    ? { secret: password, mark: '' }
    : { secret: createHash('sha384').update(password, 'utf8').digest('base64'), mark: LONG_MARK };
}

/** Splits a stored string into its mark and the bcrypt string proper. */
export function readStoredPassword(stored: string): { mark: string; hash: string; cost: number } {
  const mark = stored.startsWith(`${LONG_MARK}$`) ? LONG_MARK : '';
  const hash = stored.slice(mark.length);
  return { mark, hash, cost: Number(/^\$2[aby]\$(\d\d)\$/.exec(hash)?.[1] ?? 0) };
}
