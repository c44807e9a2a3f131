import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RequestContext } from '../../../../common/request-context.js';
import { RevokedWithUser, type RevocationReason } from '../../../../users/revoked-with-user.js';
import { PasskeyChanges } from '../stored/passkey-changes.service.js';
import { PasskeysRepository } from '../stored/passkeys.repository.js';

/**
 * Passkeys belong to the user and remain after a recovery: a password reset neither removes nor replaces one. If the
 * owner of a mailbox takes over an account whose address was never verified, all existing passkeys are removed; if an
 * owner reports an event, those that were added since.
 */
@Injectable()
export class DroppedPasskeys extends RevokedWithUser {
  constructor(
    private readonly passkeys: PasskeysRepository,
    private readonly changes: PasskeyChanges,
  ) {
    super();
  }

  async revoke(tx: EntityManager, ctx: RequestContext, userId: string, reason: RevocationReason): Promise<void> {
    if (reason === 'mailbox_proof') await this.dropSince(tx, ctx, userId, new Date(0));
  }

  /** Removes passkeys that were added at that time or later. */
  async dropSince(tx: EntityManager, ctx: RequestContext, userId: string, since: Date): Promise<void> {
    for (const passkey of await this.passkeys.listOf(userId, tx)) {
      if (passkey.createdAt < since) continue;
      await this.passkeys.remove(tx, passkey);
      await this.changes.removed(tx, ctx, passkey, 'mailbox');
    }
  }
}
