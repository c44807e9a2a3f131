import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { message } from '../../../../common/i18n/message.js';
import type { RequestContext } from '../../../../common/request-context.js';
import type { Proof } from '../../../../users/proof.js';
import type { User } from '../../../../users/user.entity.js';
import { BackupCodes } from './backup-codes.service.js';
import { SecondFactorChanges } from './second-factor-changes.service.js';
import { SecondFactorCheck } from '../check/second-factor-check.service.js';
import { NoSecondFactor } from '../stored/second-factor.errors.js';
import { SecondFactorsRepository } from '../stored/second-factors.repository.js';

/** The owner of the factor, and how they have authenticated. */
export interface FactorOwner {
  readonly user: User;
  readonly proof: Proof;
}

/** Replaces and removes a user's second factor. */
@Injectable()
export class SecondFactorService {
  constructor(
    private readonly factors: SecondFactorsRepository,
    private readonly checks: SecondFactorCheck,
    private readonly backupCodes: BackupCodes,
    private readonly changes: SecondFactorChanges,
  ) {}

  /**
   * @param code of the authenticator app, or a backup code
   * @throws NoSecondFactor, InvalidTotpCode, RateLimited
   */
  async disable(ctx: RequestContext, claimant: FactorOwner, code: string): Promise<void> {
    const { user } = claimant;
    if (!user.totpEnabledAt) throw new NoSecondFactor();
    await this.checks.prove(ctx, claimant, { code, auditedApp: null }, async (tx) => {
      await this.factors.remove(tx, user.id);
      await this.changes.record(tx, ctx, user, 'totp.disabled', message('mail.second_factor_changed.removed'));
    });
  }

  /** Replaces all backup codes. @throws NoSecondFactor, InvalidTotpCode, RateLimited */
  async regenerateCodes(ctx: RequestContext, claimant: FactorOwner, code: string): Promise<string[]> {
    const { user } = claimant;
    if (!user.totpEnabledAt) throw new NoSecondFactor();
    return this.checks.prove(ctx, claimant, { code, auditedApp: null }, async (tx) => {
      const codes = await this.backupCodes.replace(tx, user.id);
      await this.changes.record(
        tx,
        ctx,
        user,
        'backup_code.regenerated',
        message('mail.second_factor_changed.codes_made'),
      );
      return codes;
    });
  }

  /**
   * Removes it without a code, by an administrator, for a user who has lost the authenticator app and the backup codes.
   * @returns false if no factor is set up, or another request was first
   */
  async reset(tx: EntityManager, ctx: RequestContext, user: User): Promise<boolean> {
    const factor = await this.factors.find(user.id, tx);
    if (!factor?.confirmedAt || !(await this.factors.remove(tx, user.id))) return false;
    await this.changes.record(
      tx,
      ctx,
      user,
      'totp.disabled',
      message('mail.second_factor_changed.removed_by_admin'),
      'admin',
    );
    return true;
  }

  /**
   * Removes it without a code: the owner of the mailbox takes over an account with an unverified address, or the owner
   * of the account reports that an event was not theirs.
   */
  async drop(tx: EntityManager, userId: string): Promise<boolean> {
    return this.factors.remove(tx, userId);
  }
}
