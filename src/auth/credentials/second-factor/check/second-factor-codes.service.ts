import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditService } from '../../../../audit/audit.service.js';
import { message } from '../../../../common/i18n/message.js';
import { Clock } from '../../../../common/clock.js';
import type { RequestContext } from '../../../../common/request-context.js';
import { SecurityNotices } from '../../../../enrollment/notices/security-notices.service.js';
import type { HeldProof } from '../../../../users/proof-guard.js';
import type { User } from '../../../../users/user.entity.js';
import { matchesBackupCode, readBackupCode } from '../stored/backup-codes.js';
import type { AuditedApp } from './audited-app.js';
import { SecondFactorsRepository } from '../stored/second-factors.repository.js';
import { TotpSecrets } from '../stored/totp-secrets.js';

export interface ShownCode {
  readonly code: string;
  readonly auditedApp: AuditedApp;
}

/** Uses up codes of authenticator apps and backup codes. {@link SecondFactorTries} limits the attempts. */
@Injectable()
export class SecondFactorCodes {
  constructor(
    private readonly factors: SecondFactorsRepository,
    private readonly secrets: TotpSecrets,
    private readonly notices: SecurityNotices,
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  /**
   * One code at a time: the held proof prevents that others use, replace or remove codes of this user concurrently.
   * @returns whether it was correct and unused, and is now used up
   */
  async spend(
    tx: EntityManager,
    held: HeldProof,
    ctx: RequestContext,
    user: User,
    { code, auditedApp }: ShownCode,
  ): Promise<boolean> {
    const factor = await this.factors.find(held.userId, tx);
    if (!factor?.confirmedAt) return false;
    // Before the seed is decrypted: a backup code must also work when that is impossible because SECRET_KEY is lost.
    const backupCode = readBackupCode(code);
    if (backupCode !== null) return this.spendBackupCode(tx, ctx, user, { code: backupCode, auditedApp });
    const step = this.secrets.judge(user.id, factor.sealedSecret, code);
    return step !== null && this.factors.spendStep(tx, user.id, step);
  }

  private async spendBackupCode(
    tx: EntityManager,
    ctx: RequestContext,
    user: User,
    { code, auditedApp }: ShownCode,
  ): Promise<boolean> {
    const unused = await this.factors.listUnusedCodes(user.id, tx);
    const match = unused.find((stored) => matchesBackupCode(code, stored));
    if (!match || !(await this.factors.spendCode(tx, match.id))) return false;
    const left = unused.length - 1;
    await this.audit.record(tx, ctx, 'backup_code.used', { ...auditedApp, userId: user.id, metadata: { left } });
    const what = message('mail.second_factor_changed.backup_code_used', { left });
    const model = {
      what,
      when: this.clock.now().toUTCString(),
      ip: ctx.ip ?? message('mail.unknown_address'),
      link: null,
    };
    await this.notices.send(tx, user.id, 'second-factor-changed', model);
    return true;
  }
}
