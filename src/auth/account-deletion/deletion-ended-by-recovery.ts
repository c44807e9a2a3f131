import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RequestContext } from '../../common/request-context.js';
import { RevokedWithUser, type RevocationReason } from '../../users/revoked-with-user.js';
import { UsersService } from '../../users/users.service.js';
import { AccountDeletionsRepository } from './account-deletions.repository.js';
import { DeletionNotices } from './deletion-notices.js';

/** Recovering the account cancels its deletion, which an attacker may have requested. */
@Injectable()
export class DeletionEndedByRecovery extends RevokedWithUser {
  constructor(
    private readonly deletions: AccountDeletionsRepository,
    private readonly users: UsersService,
    private readonly notices: DeletionNotices,
  ) {
    super();
  }

  async revoke(tx: EntityManager, ctx: RequestContext, userId: string, reason: RevocationReason): Promise<void> {
    if (reason === 'signed_out_everywhere' || !(await this.deletions.end(tx, userId))) return;
    await this.notices.cancelled(tx, ctx, await this.users.get(userId, tx), reason);
  }
}
