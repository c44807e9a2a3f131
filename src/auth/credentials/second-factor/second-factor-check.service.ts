import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { message } from '../../../common/i18n/message.js';
import type { KnownApp } from '../../../apps/app-directory.js';
import { AuditService } from '../../../audit/audit.service.js';
import { Clock } from '../../../common/clock.js';
import type { RequestContext } from '../../../common/request-context.js';
import { SecretBox } from '../../../crypto/secret-box.js';
import { Transactions } from '../../../database/transactions.js';
import type { RateLimited } from '../../../rate-limits/rate-limited.js';
import { RateLimitsService } from '../../../rate-limits/rate-limits.service.js';
import type { Proof } from '../../../users/proof.js';
import { type HeldProof, ProofGuard } from '../../../users/proof-guard.js';
import type { User } from '../../../users/user.entity.js';
import { SecurityNotices } from '../../../enrollment/security-notices.service.js';
import { matchesBackupCode, readBackupCode } from './backup-codes.js';
import { InvalidTotpCode } from './second-factor.errors.js';
import { aadOfTotpSecret } from './second-factor.rules.js';
import { SecondFactorLock } from './second-factor-lock.service.js';
import { SecondFactorsRepository } from './second-factors.repository.js';
import { judgeTotp } from './totp.js';

/** At which app it happens, for the audit entry; nowhere: on the person's own account. */
export type Place = { readonly appId: string; readonly tenantId: string } | null;

export function placeOf({ app }: KnownApp): Place {
  return { appId: app.id, tenantId: app.tenantId };
}

export interface ShownCode {
  readonly code: string;
  readonly place: Place;
}

/** The one place where a code of the authenticator app or a backup code is tried, on whatever path. */
@Injectable()
export class SecondFactorCheck {
  constructor(
    private readonly factors: SecondFactorsRepository,
    private readonly box: SecretBox,
    private readonly limits: RateLimitsService,
    private readonly locks: SecondFactorLock,
    private readonly notices: SecurityNotices,
    private readonly proofs: ProofGuard,
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  /**
   * Spends the code together with what it opens, in one transaction: of two requests with one code, one gets through.
   * @param proof what they have shown before
   * @throws InvalidTotpCode, RateLimited, ProofOutdated
   */
  prove<T>(
    ctx: RequestContext,
    { user, proof }: { readonly user: User; readonly proof: Proof },
    shown: ShownCode,
    opens: (tx: EntityManager, held: HeldProof) => Promise<T>,
  ): Promise<T> {
    return this.counted(ctx, user, shown.place, (refuse) =>
      this.transactions.run(async (tx) => {
        const held = await this.proofs.hold(tx, proof);
        if (!(await this.spend(tx, held, ctx, user, shown))) return refuse();
        return opens(tx, held);
      }),
    );
  }

  /**
   * Every try is counted before it is judged, in a store of its own, so that neither a parallel burst nor a rollback
   * gets around the limit; a right code clears the count. The last wrong one begins a lock.
   */
  async counted<T>(
    ctx: RequestContext,
    user: User,
    place: Place,
    attempt: (refuse: () => never) => Promise<T>,
  ): Promise<T> {
    const { allowed, retryAfter, remaining } = await this.limits.tryConsume('totp', user.id);
    if (!allowed) throw this.limits.refusal('totp', retryAfter);
    try {
      const result = await attempt(() => {
        throw new InvalidTotpCode();
      });
      await this.locks.end(user.id);
      return result;
    } catch (error) {
      if (error instanceof InvalidTotpCode) {
        await this.audit.recordAlone(ctx, 'totp.failed', { ...place, userId: user.id, outcome: 'failure' });
        if (remaining === 0) await this.locks.begin(ctx, user, place);
      }
      throw error;
    }
  }

  /** For a sign-in that has used up its own tries. @param over when it ends */
  async tooManyTries(user: User, over: Date): Promise<RateLimited> {
    const { retryAfter } = await this.limits.peek('totp', user.id);
    const seconds = Math.ceil((over.getTime() - this.clock.now().getTime()) / 1_000);
    return this.limits.refusal('totp', Math.max(retryAfter, seconds, 1));
  }

  /** How many wrong codes may still come in this window, and how many seconds it lasts where none may. */
  async triesLeft(user: User): Promise<{ tries: number; retryAfter: number }> {
    const { remaining, retryAfter } = await this.limits.peek('totp', user.id);
    return { tries: remaining, retryAfter };
  }

  /**
   * One code at a time: the held proof keeps out whatever else would spend, replace or remove codes of this user.
   * @returns whether it was right and unused, and is now used up
   */
  async spend(
    tx: EntityManager,
    held: HeldProof,
    ctx: RequestContext,
    user: User,
    { code, place }: ShownCode,
  ): Promise<boolean> {
    const factor = await this.factors.find(held.userId, tx);
    if (!factor?.confirmedAt) return false;
    // Before the seed is opened: a backup code must serve also where that cannot be done any more (SECRET_KEY is lost).
    const backupCode = readBackupCode(code);
    if (backupCode !== null) return this.spendBackupCode(tx, ctx, user, { code: backupCode, place });
    const step = judgeTotp(this.box.open(factor.sealedSecret, aadOfTotpSecret(user.id)), code, this.clock.seconds());
    return step !== null && this.factors.spendStep(tx, user.id, step);
  }

  private async spendBackupCode(
    tx: EntityManager,
    ctx: RequestContext,
    user: User,
    { code, place }: ShownCode,
  ): Promise<boolean> {
    const unused = await this.factors.listUnusedCodes(user.id, tx);
    const match = unused.find((stored) => matchesBackupCode(code, stored));
    if (!match || !(await this.factors.spendCode(tx, match.id))) return false;
    const left = unused.length - 1;
    await this.audit.record(tx, ctx, 'backup_code.used', { ...place, userId: user.id, metadata: { left } });
    const what = message('mail.second_factor_changed.backup_code_used', { left });
    const model = { what, when: this.clock.now().toUTCString(), ip: ctx.ip ?? message('mail.unknown_address') };
    await this.notices.send(tx, user.id, 'second-factor-changed', model);
    return true;
  }
}
