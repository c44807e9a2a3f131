import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AppDirectory } from '../../../apps/directory/app-directory.js';
import { AuditService } from '../../../audit/audit.service.js';
import type { RequestContext } from '../../../common/request-context.js';
import { hashOpaqueToken } from '../../../crypto/opaque-token.js';
import { Transactions } from '../../../database/transactions.js';
import { LogoutNotices } from '../../logout/logout-notices.service.js';
import { familySubject } from '../token-family/family-subject.js';
import type { KnownFamily } from '../token-family/refresh-families.repository.js';
import type { FamilyEnd } from '../token-family/refresh-family.entity.js';
import { RefreshTokensRepository } from '../refresh/refresh-tokens.repository.js';
import { endPlans, holdUser } from '../token-family/stolen-sign-in.sql.js';

interface StolenFamily {
  readonly userId: string;
  readonly familyId: string;
}

/** Ends refresh token families. */
@Injectable()
export class RefreshRevocation {
  constructor(
    private readonly repository: RefreshTokensRepository,
    private readonly directory: AppDirectory,
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
    private readonly notices: LogoutNotices,
  ) {}

  /** Revokes the whole family of a token. @param reason `owner`: a later use of it is a replay */
  async revoke(ctx: RequestContext, family: KnownFamily, reason: 'owner' | 'signed_out'): Promise<void> {
    await this.transactions.run(async (tx) => {
      if (!(await this.repository.revokeFamily(tx, family.id, reason))) return;
      await this.audit.record(tx, ctx, 'session.revoked', await familySubject(this.directory, family, tx));
    });
  }

  /** Revokes the family of a grant whose tokens were never sent to a client. */
  async discard(refreshToken: string): Promise<void> {
    const presented = await this.repository.findPresented(hashOpaqueToken(refreshToken));
    if (!presented) return;
    await this.transactions.run((tx) => this.repository.revokeFamily(tx, presented.family_id, 'not_taken'));
  }

  /**
   * When a code is used a second time: revokes what the first use issued, and voids changes that were scheduled with
   * it. @returns whether the family was active
   */
  async revokeStolen(tx: EntityManager, { userId, familyId }: StolenFamily): Promise<boolean> {
    await holdUser(tx, userId);
    const wasAlive = await this.repository.revokeFamily(tx, familyId, 'code_reuse');
    await endPlans(tx, familyId);
    return wasAlive;
  }

  /**
   * After a suspension, a removal or the revocation of a consent: ends every family of the user in the app, with the
   * codes, devices and consents of `DROP_ALLOWED`, and notifies the app.
   */
  async revokeAll(tx: EntityManager, userId: string, appId: string, reason: FamilyEnd): Promise<void> {
    await this.repository.dropAllowed(tx, userId, appId);
    await this.repository.revokeAll(tx, userId, appId, null, reason);
    await this.notices.enqueueForApp(tx, userId, appId);
  }
}
