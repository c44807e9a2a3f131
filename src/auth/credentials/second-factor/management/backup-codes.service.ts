import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Randomness } from '../../../../common/randomness.js';
import { BACKUP_CODE_COUNT, hashBackupCode, newBackupCode, readBackupCode } from '../stored/backup-codes.js';
import { SecondFactorsRepository } from '../stored/second-factors.repository.js';

const SALT_BYTES = 16;

/** The backup codes of a user. Only salted hashes are stored. */
@Injectable()
export class BackupCodes {
  constructor(
    private readonly factors: SecondFactorsRepository,
    private readonly randomness: Randomness,
  ) {}

  async countUnused(userId: string): Promise<number> {
    return (await this.factors.listUnusedCodes(userId)).length;
  }

  /** Null if there are none. All codes are created at the same time. */
  async findMadeAt(userId: string): Promise<Date | null> {
    return (await this.factors.listUnusedCodes(userId))[0]?.createdAt ?? null;
  }

  /** Removes codes that were created at that time or later. */
  dropSince(tx: EntityManager, userId: string, since: Date): Promise<void> {
    return this.factors.removeCodesSince(tx, userId, since);
  }

  /** @returns new codes, which are shown once; all earlier ones become invalid */
  async replace(tx: EntityManager, userId: string): Promise<string[]> {
    const codes = Array.from({ length: BACKUP_CODE_COUNT }, () => newBackupCode(this.randomness));
    const rows = codes.map((code) => {
      const salt = this.randomness.bytes(SALT_BYTES);
      return { id: this.randomness.uuid(), salt, codeHash: hashBackupCode(readBackupCode(code)!, salt) };
    });
    await this.factors.replaceCodes(tx, userId, rows);
    return codes;
  }
}
