import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditService } from '../../../audit/audit.service.js';
import type { RequestContext } from '../../../common/request-context.js';
import { RevokedWithUser, type RevocationReason } from '../../../users/revoked-with-user.js';
import { ConsentsRepository } from './consents.repository.js';

/**
 * Another person may have created the account and given consent before the owner proved the address, so apps must ask
 * the owner again.
 */
@Injectable()
export class ConsentsEndedByProof extends RevokedWithUser {
  constructor(
    private readonly consents: ConsentsRepository,
    private readonly audit: AuditService,
  ) {
    super();
  }

  /** The caller has locked the user, so that no consent is given in the meantime. */
  async revoke(tx: EntityManager, ctx: RequestContext, userId: string, reason: RevocationReason): Promise<void> {
    if (reason !== 'mailbox_proof') return;
    const apps = await this.consents.removeAllOf(tx, userId);
    const subjects = apps.map((app) => ({ userId, ...app, metadata: { reason } }));
    if (subjects.length > 0) await this.audit.recordAll(tx, ctx, 'consent.revoked', subjects);
  }
}
