import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditService } from '../../audit/audit.service.js';
import type { RequestContext } from '../../common/request-context.js';
import { ActiveGrants } from '../../tokens/grants/revocation/active-grants.service.js';
import { UsersService } from '../../users/users.service.js';
import { suspectSince } from '../credentials/notices/stop-window.rules.js';
import { MailLinksService } from '../email-links/mail-links.service.js';
import { CredentialsSetUpSince } from './credentials-set-up-since.js';

/**
 * Secures an account after an intruder: the password and the credentials that the intruder may have set up no longer
 * open it (docs/decisions/0066). An older second factor stays, so that access to the mailbox alone does not open the
 * account either.
 */
@Injectable()
export class AccountLockdown {
  constructor(
    private readonly users: UsersService,
    private readonly late: CredentialsSetUpSince,
    private readonly grants: ActiveGrants,
    private readonly links: MailLinksService,
    private readonly audit: AuditService,
  ) {}

  /**
   * Called in a transaction that holds the user's row. Mails the owner a link to set a new password.
   * @param event time of the event that the owner reports as not theirs
   */
  async secure(
    tx: EntityManager,
    ctx: RequestContext,
    userId: string,
    event: Date,
    reason: 'email_change_stopped' | 'credential_stopped',
  ): Promise<void> {
    await this.users.clearPassword(tx, userId);
    await this.late.drop(tx, ctx, await this.users.get(userId, tx), suspectSince(event));
    await this.audit.record(tx, ctx, 'user.secured', {
      userId,
      target: { type: 'user', id: userId },
      metadata: { reason },
    });
    await this.grants.revokeAllSessionsAndTokens(tx, ctx, userId, reason);
    await this.links.mail(tx, 'reset_password', await this.users.get(userId, tx), null);
  }
}
