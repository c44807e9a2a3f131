import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Randomness } from '../../common/randomness.js';
import type { RequestContext } from '../../common/request-context.js';
import { newOpaqueToken } from '../../crypto/opaque-token.js';
import { ActiveGrants } from '../../tokens/grants/revocation/active-grants.service.js';
import { STOP_SECONDS } from '../credentials/notices/stop-window.rules.js';
import type { User } from '../../users/user.entity.js';
import type { EmailChange } from './stored/email-change.entity.js';
import { EmailChangeNotices } from './email-change-notices.js';
import { EmailChangesRepository } from './stored/email-changes.repository.js';
import { MovedAddress } from './moved-address.js';

/** Applies a confirmed change. Everything happens in the caller's transaction, which has locked the user's row. */
@Injectable()
export class NewAddress {
  constructor(
    private readonly changes: EmailChangesRepository,
    private readonly address: MovedAddress,
    private readonly grants: ActiveGrants,
    private readonly notices: EmailChangeNotices,
    private readonly randomness: Randomness,
  ) {}

  /** Records a wrong code in the audit log. */
  refuse(tx: EntityManager, ctx: RequestContext, userId: string): Promise<void> {
    return this.notices.refused(tx, ctx, userId);
  }

  /** @throws UserAlreadyExists, decided by the unique constraint */
  async apply(tx: EntityManager, ctx: RequestContext, user: User, change: EmailChange): Promise<void> {
    const undo = change.stopHash && newOpaqueToken(this.randomness);
    await this.address.move(tx, user.id, change.newEmail);
    await this.changes.complete(tx, change, undo && { hash: undo.hash, seconds: STOP_SECONDS });
    await this.grants.revokeAllSessionsAndTokens(tx, ctx, user.id, 'own_email');
    await this.notices.changed(tx, ctx, user, change.newEmail, undo?.token ?? null);
  }
}
