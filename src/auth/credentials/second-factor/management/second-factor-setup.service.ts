import { Injectable } from '@nestjs/common';
import QRCode from 'qrcode';
import type { EntityManager } from 'typeorm';
import { message } from '../../../../common/i18n/message.js';
import type { RequestContext } from '../../../../common/request-context.js';
import type { HeldProof } from '../../../../users/proof-guard.js';
import { ProofTransactions } from '../../../../users/proof-transactions.js';
import type { User } from '../../../../users/user.entity.js';
import { BackupCodes } from './backup-codes.service.js';
import { PendingTotpSetups } from './pending-totp-setups.service.js';
import { SecondFactorChanges } from './second-factor-changes.service.js';
import type { AuditedApp } from '../check/audited-app.js';
import type { FactorOwner } from './second-factor.service.js';
import { SecondFactorTries } from '../check/second-factor-tries.service.js';
import { otpauthUri } from '../stored/totp.js';

/** Margin around the QR code, which scanners may need (ISO/IEC 18004). */
const QUIET_ZONE_MODULES = 4;

export interface TotpSetup {
  /** Base 32. */
  readonly secret: string;
  readonly otpauthUri: string;
  readonly qrSvg: string;
}

/**
 * Sets up a second factor: first a secret, which becomes valid after a code has proven that the authenticator app has
 * it.
 */
@Injectable()
export class SecondFactorSetup {
  constructor(
    private readonly begun: PendingTotpSetups,
    private readonly tries: SecondFactorTries,
    private readonly proofs: ProofTransactions,
    private readonly backupCodes: BackupCodes,
    private readonly changes: SecondFactorChanges,
  ) {}

  /**
   * Creates a new secret. It becomes the second factor only with {@link confirm}.
   * @param within identifies where it began: a hosted sign-in, the session of the account page, or an app by its token
   * @param shown `again` if a page that is loaded twice must show the same secret. Only for a `within` that only the
   * owner can use: the owner must never be shown a secret that another person has requested and therefore knows.
   * @throws SecondFactorAlreadySet
   */
  async begin(
    user: User,
    issuer: string,
    within: string | null = null,
    shown: 'new' | 'again' = 'again',
  ): Promise<TotpSetup> {
    const shownBefore = within !== null && shown === 'again' ? await this.begun.findSecret(user.id, within) : null;
    const secret = shownBefore ?? (await this.begun.begin(user.id, within));
    const uri = otpauthUri(secret, issuer, user.email);
    return { secret, otpauthUri: uri, qrSvg: await QRCode.toString(uri, { type: 'svg', margin: QUIET_ZONE_MODULES }) };
  }

  /** Whether the pending setup was begun in this place. */
  isBegun(user: User, within: string): Promise<boolean> {
    return this.begun.exists(user.id, within);
  }

  /**
   * The code proves that the authenticator app has the secret, which is required from now on.
   * @param within as for {@link begin}
   * @returns the backup codes, which are shown only once
   * @throws InvalidTotpCode, RateLimited, SetupNotBegun, SecondFactorAlreadySet, ProofOutdated
   */
  async confirm<T>(
    ctx: RequestContext,
    { user, proof }: FactorOwner,
    { code, auditedApp, within }: { code: string; auditedApp: AuditedApp; within: string | null },
    alongside: (tx: EntityManager, held: HeldProof) => Promise<T>,
  ): Promise<{ backupCodes: string[]; made: T }> {
    const factor = await this.begun.get(user.id, within);
    return this.tries.counted(ctx, user, auditedApp, async (refuse) => {
      const step = this.begun.judge(factor, code);
      if (step === null) return refuse();
      return this.proofs.run(proof, async (tx, held) => {
        await this.begun.confirm(tx, factor, step);
        const backupCodes = await this.backupCodes.replace(tx, user.id);
        await this.changes.record(tx, ctx, user, 'totp.enabled', message('mail.second_factor_changed.added'));
        return { backupCodes, made: await alongside(tx, held) };
      });
    });
  }
}
