import { Injectable } from '@nestjs/common';
import QRCode from 'qrcode';
import type { EntityManager } from 'typeorm';
import { message } from '../../../common/i18n/message.js';
import type { RequestContext } from '../../../common/request-context.js';
import { Transactions } from '../../../database/transactions.js';
import { type HeldProof, ProofGuard } from '../../../users/proof-guard.js';
import type { User } from '../../../users/user.entity.js';
import { BackupCodes } from './backup-codes.service.js';
import { SecondFactorChanges } from './second-factor-changes.service.js';
import { SecondFactorAlreadySet, SetupNotBegun } from './second-factor.errors.js';
import type { Place } from './second-factor-place.js';
import type { Claimant } from './second-factor.service.js';
import { SecondFactorTries } from './second-factor-tries.service.js';
import { SecondFactorsRepository } from './second-factors.repository.js';
import { otpauthUri } from './totp.js';
import { TotpSecrets } from './totp-secrets.js';

export interface TotpSetup {
  /** Base 32. */
  readonly secret: string;
  readonly otpauthUri: string;
  readonly qrSvg: string;
}

/** Sets up a second factor: a secret first, which counts after a code has shown that the authenticator app has it. */
@Injectable()
export class SecondFactorSetup {
  constructor(
    private readonly factors: SecondFactorsRepository,
    private readonly secrets: TotpSecrets,
    private readonly tries: SecondFactorTries,
    private readonly proofs: ProofGuard,
    private readonly transactions: Transactions,
    private readonly backupCodes: BackupCodes,
    private readonly changes: SecondFactorChanges,
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
    shown: 'new' | 'again' = 'again',
  ): Promise<TotpSetup> {
    const begun = within !== null && shown === 'again' ? await this.factors.findUnconfirmed(user.id, within) : null;
    const secret = begun ? this.secrets.open(user.id, begun.sealedSecret) : await this.start(user.id, within);
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
    return this.tries.counted(ctx, user, place, async (refuse) => {
      const step = this.secrets.judge(user.id, factor.sealedSecret, code);
      if (step === null) return refuse();
      return this.transactions.run(async (tx) => {
        const held = await this.proofs.hold(tx, proof);
        if (!(await this.factors.confirm(tx, factor, step))) throw new SecondFactorAlreadySet();
        const backupCodes = await this.backupCodes.replace(tx, user.id);
        await this.changes.record(tx, ctx, user, 'totp.enabled', message('mail.second_factor_changed.added'));
        return { backupCodes, made: await alongside(tx, held) };
      });
    });
  }

  private async start(userId: string, within: string | null): Promise<string> {
    const { secret, sealed } = this.secrets.create(userId);
    if (!(await this.transactions.run((tx) => this.factors.begin(tx, userId, sealed, within))))
      throw new SecondFactorAlreadySet();
    return secret;
  }
}
