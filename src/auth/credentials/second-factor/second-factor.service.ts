import { Injectable } from '@nestjs/common';
import QRCode from 'qrcode';
import type { EntityManager } from 'typeorm';
import { message, type Text } from '../../../common/i18n/message.js';
import { AuditService } from '../../../audit/audit.service.js';
import { Clock } from '../../../common/clock.js';
import { Randomness } from '../../../common/randomness.js';
import type { RequestContext } from '../../../common/request-context.js';
import { SecretBox } from '../../../crypto/secret-box.js';
import { Transactions } from '../../../database/transactions.js';
import type { Proof } from '../../../users/proof.js';
import { type HeldProof, ProofGuard } from '../../../users/proof-guard.js';
import type { User } from '../../../users/user.entity.js';
import { SecurityNotices } from '../../../enrollment/security-notices.service.js';
import { BACKUP_CODE_COUNT, hashBackupCode, newBackupCode, readBackupCode } from './backup-codes.js';
import { NoSecondFactor, SecondFactorAlreadySet, SetupNotBegun } from './second-factor.errors.js';
import { aadOfTotpSecret } from './second-factor.rules.js';
import { type Place, SecondFactorCheck } from './second-factor-check.service.js';
import { SecondFactorsRepository } from './second-factors.repository.js';
import { judgeTotp, newTotpSecret, otpauthUri } from './totp.js';

const SALT_BYTES = 16;

export interface TotpSetup {
  /** Base 32. */
  readonly secret: string;
  readonly otpauthUri: string;
  readonly qrSvg: string;
}

/** Whose factor it is, and how they have shown that it is theirs. */
export interface Claimant {
  readonly user: User;
  readonly proof: Proof;
}

/** Setting up, replacing and removing a person's second factor. Whether one counts at sign-in: {@link SecondFactorCheck}. */
@Injectable()
export class SecondFactorService {
  constructor(
    private readonly factors: SecondFactorsRepository,
    private readonly checks: SecondFactorCheck,
    private readonly box: SecretBox,
    private readonly notices: SecurityNotices,
    private readonly proofs: ProofGuard,
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
    private readonly clock: Clock,
    private readonly randomness: Randomness,
  ) {}

  /**
   * A new secret, which counts once {@link confirm}ed.
   * @param within names who began: a hosted sign-in, a session's page, or an app by its access token
   * @param shown `again` where a page that is loaded twice is to show one secret. Only for a `within` that only the owner
   * can use: a secret that another person began with, and so knows, must never be shown to the owner.
   * @throws SecondFactorAlreadySet
   */
  async begin(
    user: User,
    issuer: string,
    within: string | null = null,
    shown: 'anew' | 'again' = 'again',
  ): Promise<TotpSetup> {
    const begun = within !== null && shown === 'again' ? await this.factors.findUnconfirmed(user.id, within) : null;
    const secret = begun ? this.box.open(begun.sealedSecret, aadOfTotpSecret(user.id)) : newTotpSecret(this.randomness);
    if (!begun) {
      const sealed = this.box.seal(secret, aadOfTotpSecret(user.id));
      if (!(await this.transactions.run((tx) => this.factors.begin(tx, user.id, sealed, within))))
        throw new SecondFactorAlreadySet();
    }
    const uri = otpauthUri(secret, issuer, user.email);
    return { secret, otpauthUri: uri, qrSvg: await QRCode.toString(uri, { type: 'svg', margin: 1 }) };
  }

  /** Whether the set-up that waits for its code was begun by this one. */
  async isBegun(user: User, within: string): Promise<boolean> {
    return (await this.factors.findUnconfirmed(user.id, within)) !== null;
  }

  /**
   * The code proves that the authenticator app holds the secret: from here on it is asked for.
   * @param within as it was {@link begin}
   * @returns the backup codes, shown this once
   * @throws InvalidTotpCode, RateLimited, SetupNotBegun, SecondFactorAlreadySet, ProofOutdated
   */
  async confirm<T>(
    ctx: RequestContext,
    { user, proof }: Claimant,
    { code, place, within }: { code: string; place: Place; within: string | null },
    alongside: (tx: EntityManager, held: HeldProof) => Promise<T>,
  ): Promise<{ backupCodes: string[]; made: T }> {
    const factor = await this.factors.find(user.id);
    if (factor?.confirmedAt) throw new SecondFactorAlreadySet();
    if (!factor || factor.begunIn !== within) throw new SetupNotBegun();
    const secret = this.box.open(factor.sealedSecret, aadOfTotpSecret(user.id));
    return this.checks.counted(ctx, user, place, async (refuse) => {
      const step = judgeTotp(secret, code, this.clock.seconds());
      if (step === null) return refuse();
      return this.transactions.run(async (tx) => {
        const held = await this.proofs.hold(tx, proof);
        if (!(await this.factors.confirm(tx, factor, step))) throw new SecondFactorAlreadySet();
        const backupCodes = await this.makeCodes(tx, user.id);
        await this.note(tx, ctx, user, 'totp.enabled', message('mail.second_factor_changed.added'));
        return { backupCodes, made: await alongside(tx, held) };
      });
    });
  }

  /** @param code of the authenticator app, or a backup code @throws NoSecondFactor, InvalidTotpCode, RateLimited */
  async disable(ctx: RequestContext, claimant: Claimant, code: string): Promise<void> {
    const { user } = claimant;
    if (!user.totpEnabledAt) throw new NoSecondFactor();
    await this.checks.prove(ctx, claimant, { code, place: null }, async (tx) => {
      await this.factors.remove(tx, user.id);
      await this.note(tx, ctx, user, 'totp.disabled', message('mail.second_factor_changed.removed'));
    });
  }

  /** Replaces all backup codes. @throws NoSecondFactor, InvalidTotpCode, RateLimited */
  async regenerateCodes(ctx: RequestContext, claimant: Claimant, code: string): Promise<string[]> {
    const { user } = claimant;
    if (!user.totpEnabledAt) throw new NoSecondFactor();
    return this.checks.prove(ctx, claimant, { code, place: null }, async (tx) => {
      const codes = await this.makeCodes(tx, user.id);
      await this.note(tx, ctx, user, 'backup_code.regenerated', message('mail.second_factor_changed.codes_made'));
      return codes;
    });
  }

  /**
   * Without a code, by an administrator, for somebody who has lost the authenticator app and the backup codes.
   * @returns false where no factor is set up, or another request was first
   */
  async reset(tx: EntityManager, ctx: RequestContext, user: User): Promise<boolean> {
    const factor = await this.factors.find(user.id, tx);
    if (!factor?.confirmedAt || !(await this.factors.remove(tx, user.id))) return false;
    await this.note(tx, ctx, user, 'totp.disabled', message('mail.second_factor_changed.removed_by_admin'), 'admin');
    return true;
  }

  /** Without a code: the owner of the mailbox takes over an account that nobody had proven to own. */
  async drop(tx: EntityManager, userId: string): Promise<boolean> {
    return this.factors.remove(tx, userId);
  }

  async countUnusedCodes(userId: string): Promise<number> {
    return (await this.factors.listUnusedCodes(userId)).length;
  }

  private async makeCodes(tx: EntityManager, userId: string): Promise<string[]> {
    const codes = Array.from({ length: BACKUP_CODE_COUNT }, () => newBackupCode(this.randomness));
    const rows = codes.map((code) => {
      const salt = this.randomness.bytes(SALT_BYTES);
      return { id: this.randomness.uuid(), salt, codeHash: hashBackupCode(readBackupCode(code)!, salt) };
    });
    await this.factors.replaceCodes(tx, userId, rows);
    return codes;
  }

  private async note(
    tx: EntityManager,
    ctx: RequestContext,
    user: User,
    action: 'totp.enabled' | 'totp.disabled' | 'backup_code.regenerated',
    what: Text,
    by: 'owner' | 'admin' = 'owner',
  ): Promise<void> {
    const metadata = by === 'admin' ? { by } : {};
    await this.audit.record(tx, ctx, action, { userId: user.id, target: { type: 'user', id: user.id }, metadata });
    // Where an administrator sits is nobody's business but the audit log's.
    const ip = by === 'admin' ? message('mail.admin_console') : (ctx.ip ?? message('mail.unknown_address'));
    const model = { what, when: this.clock.now().toUTCString(), ip };
    await this.notices.send(tx, user.id, 'second-factor-changed', model);
  }
}
