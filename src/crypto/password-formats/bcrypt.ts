import { createHash } from 'node:crypto';
import { BOUNDS, within } from './bounds.js';

/** bcrypt ignores every byte after the 72nd. */
const BCRYPT_BYTES = 72;
const LONG_MARK = '$sha384';
/**
 * Marks an imported hash of a system that cut off passwords after the 72nd byte. Without the mark, users with longer
 * passwords could not sign in. On the service's own hashes, the mark would accept a password with anything appended.
 */
const CUT_MARK = '$cut';
/** Length of a salt and a hash together. */
const DECOY_LENGTH = 53;
const BCRYPT = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;

export type BcryptMark = '' | typeof LONG_MARK | typeof CUT_MARK;

/**
 * The input of bcrypt, and the mark of the stored string. Up to 72 bytes, the input is the password itself, so that the
 * stored string is portable. A longer password becomes base64(SHA-384(password)), 64 bytes, so that bcrypt ignores no
 * byte.
 */
export function bcryptSecret(password: string): { secret: string; mark: '' | typeof LONG_MARK } {
  return Buffer.byteLength(password, 'utf8') <= BCRYPT_BYTES
    ? { secret: password, mark: '' }
    : { secret: createHash('sha384').update(password, 'utf8').digest('base64'), mark: LONG_MARK };
}

/** The input of bcrypt for a hash with this mark; null if the password is too short or too long to have this mark. */
export function secretFor(mark: BcryptMark, password: string): string | null {
  if (mark === CUT_MARK) return password;
  const own = bcryptSecret(password);
  return own.mark === mark ? own.secret : null;
}

export interface StoredBcrypt {
  readonly family: 'bcrypt';
  readonly mark: BcryptMark;
  /** The plain bcrypt string, always with `$2b$`: `$2a$` and `$2y$` denote the same function. */
  readonly hash: string;
  readonly cost: number;
}

/**
 * A bcrypt string of this cost that matches no password, so that a comparison takes as long as with a real one.
 * @param random 40 bytes
 */
export function decoyOf(cost: number, random: Buffer): string {
  const text = random.toString('base64').replaceAll('+', '.').slice(0, DECOY_LENGTH);
  return `$2b$${String(cost).padStart(2, '0')}$${text}`;
}

export function readBcrypt(stored: string): StoredBcrypt | null {
  const mark = [LONG_MARK, CUT_MARK].find((each) => stored.startsWith(`${each}$`)) ?? '';
  const hash = stored.slice(mark.length);
  const cost = BCRYPT.exec(hash)?.[1];
  if (cost === undefined) return null;
  return { family: 'bcrypt', mark: mark as BcryptMark, hash: `$2b$${hash.slice(4)}`, cost: Number(cost) };
}

/**
 * The string to store for a bcrypt string of another system, or for one that this service has exported. Null: not a
 * bcrypt string, or its cost is beyond the bounds.
 */
export function storableBcrypt(text: string): string | null {
  const read = readBcrypt(text);
  if (!read || read.mark === CUT_MARK || !within(read.cost, BOUNDS.bcryptCost)) return null;
  return read.mark === LONG_MARK ? text : `${CUT_MARK}${text}`;
}

export function withoutCutMark(stored: string): string {
  return stored.startsWith(`${CUT_MARK}$`) ? stored.slice(CUT_MARK.length) : stored;
}
