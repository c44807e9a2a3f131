import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RequestContext } from '../../common/request-context.js';
import { RevokedWithUser, type RevocationReason } from '../../users/revoked-with-user.js';
import { PasskeyRecoveriesRepository } from './passkey-recoveries.repository.js';
import { PasskeyRecoveryNotices } from './passkey-recovery-notices.js';

/**
 * Cancels a recovery in progress when all sessions and tokens of the user end, such as by a proof of the mailbox:
 * another person may have requested it.
 */
@Injectable()
export class RecoveryEndedWithAccount extends RevokedWithUser {
  constructor(
    private readonly recoveries: PasskeyRecoveriesRepository,
    private readonly notices: PasskeyRecoveryNotices,
  ) {
    super();
  }

  async revoke(tx: EntityManager, ctx: RequestContext, userId: string, reason: RevocationReason): Promise<void> {
    if (await this.recoveries.end(tx, userId)) await this.notices.stopped(tx, ctx, userId, reason);
  }
}
