import { createHash, timingSafeEqual } from 'node:crypto';
import type { Randomness } from '../../../../common/randomness.js';
import { inGroups, newCode, readCode } from '../../../../crypto/crockford.js';

export const BACKUP_CODE_COUNT = 10;
/** 60 random bits. */
const LENGTH = 12;

/** For example `7K3M-P9QX-2TRW`. */
export function newBackupCode(randomness: Randomness): string {
  return inGroups(newCode(randomness, LENGTH));
}

/** Normalizes a code as typed. Null if it cannot be a backup code. */
export function readBackupCode(typed: string): string | null {
  return readCode(typed, LENGTH);
}

/** 60 random bits need no slow hash. The salt gives equal codes of two users different hashes. */
export function hashBackupCode(code: string, salt: Buffer): Buffer {
  return createHash('sha256').update(salt).update(code, 'utf8').digest();
}

export function matchesBackupCode(code: string, stored: { readonly salt: Buffer; readonly codeHash: Buffer }): boolean {
  return timingSafeEqual(hashBackupCode(code, stored.salt), stored.codeHash);
}
