import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RequestContext } from '../../common/request-context.js';
import { ActiveGrants } from '../../tokens/grants/active-grants.service.js';
import { UsersService } from '../../users/users.service.js';
import { MailLinksService } from '../email-links/mail-links.service.js';
import { LateCredentials } from './late-credentials.js';

/**
 * After an intruder: what they knew, and what they may have set up since, no longer opens the account. A second factor
 * from before stays, so the old mailbox alone does not open the account either.
 */
@Injectable()
export class SecuredAccount {
  constructor(
    private readonly users: UsersService,
    private readonly late: LateCredentials,
    private readonly grants: ActiveGrants,
    private readonly links: MailLinksService,
  ) {}

  /** In the caller's transaction, which holds the user's row. The owner is mailed a link to a new password. */
  async secure(tx: EntityManager, ctx: RequestContext, userId: string, since: Date): Promise<void> {
    await this.users.clearPassword(tx, userId);
    await this.late.drop(tx, ctx, await this.users.get(userId, tx), since);
    await this.grants.revokeAllSessionsAndTokens(tx, ctx, userId, 'email_change_stopped');
    await this.links.mail(tx, 'reset_password', await this.users.get(userId, tx), null);
  }
}
