import { createHash } from 'node:crypto';
import { BOUNDS, within } from './bounds.js';

/** bcrypt ignores every byte after the 72nd. */
const BCRYPT_BYTES = 72;
const LONG_MARK = '$sha384';
/**
 * Marks an imported hash whose maker cut passwords off after the 72nd byte. Without the mark, users with longer passwords
 * could not sign in. On our own hashes, the mark would let a password match with anything appended.
 */
const CUT_MARK = '$cut';
/** Of a salt and a hash. */
const DECOY_LENGTH = 53;
const BCRYPT = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;

export type BcryptMark = '' | typeof LONG_MARK | typeof CUT_MARK;

/**
 * What bcrypt is given, and how the stored string is marked. Up to 72 bytes the password itself, so that the stored
 * string stays portable; above that base64(SHA-384(password)), 64 bytes, so that no byte is ever ignored.
 */
export function bcryptSecret(password: string): { secret: string; mark: '' | typeof LONG_MARK } {
  return Buffer.byteLength(password, 'utf8') <= BCRYPT_BYTES
    ? { secret: password, mark: '' }
    : { secret: createHash('sha384').update(password, 'utf8').digest('base64'), mark: LONG_MARK };
}

/** The secret to compare with a hash of that mark, or null where the password cannot be the one behind it. */
export function secretFor(mark: BcryptMark, password: string): string | null {
  if (mark === CUT_MARK) return password;
  const own = bcryptSecret(password);
  return own.mark === mark ? own.secret : null;
}

export interface StoredBcrypt {
  readonly family: 'bcrypt';
  readonly mark: BcryptMark;
  /** The bcrypt string proper, always as `$2b$`: `$2a$` and `$2y$` name the same function. */
  readonly hash: string;
  readonly cost: number;
}

/** A string of that cost that no password matches: comparing with it takes as long as with any other. @param random 40 bytes */
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

/** The string to store for a bcrypt string of another system, or of an export of ours. Null where it is none. */
export function storableBcrypt(text: string): string | null {
  const read = readBcrypt(text);
  if (!read || read.mark === CUT_MARK || !within(read.cost, BOUNDS.bcryptCost)) return null;
  return read.mark === LONG_MARK ? text : `${CUT_MARK}${text}`;
}

export function withoutCutMark(stored: string): string {
  return stored.startsWith(`${CUT_MARK}$`) ? stored.slice(CUT_MARK.length) : stored;
}
