import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditService } from '../../audit/audit.service.js';
import type { RequestContext } from '../../common/request-context.js';
import type { User } from '../../users/user.entity.js';
import { ActiveGrants } from '../../tokens/grants/active-grants.service.js';
import { UsersService } from '../../users/users.service.js';
import { SecondFactorService } from '../credentials/second-factor/second-factor.service.js';
import { LinkedAccountsService } from '../providers/linked/linked-accounts.service.js';

/**
 * A user who signs in with a mailed link owns the mailbox. On an account whose address was not verified, everything that
 * was set before is removed: an attacker may have set it and waited for the owner (account pre-hijacking).
 */
@Injectable()
export class MailboxProofService {
  constructor(
    private readonly users: UsersService,
    private readonly signIns: ActiveGrants,
    private readonly secondFactor: SecondFactorService,
    private readonly linked: LinkedAccountsService,
    private readonly audit: AuditService,
  ) {}

  /** @param emailCanonical the address that the link was sent to */
  async accept(tx: EntityManager, ctx: RequestContext, user: User, emailCanonical: string): Promise<void> {
    if (!(await this.users.verifyEmail(tx, user.id, emailCanonical))) return;
    const dropped = ['sessions'];
    if (user.passwordHash) dropped.push('password');
    await this.users.clearPassword(tx, user.id);
    if (await this.secondFactor.drop(tx, user.id)) dropped.push('second_factor');
    await this.signIns.revokeAllSessionsAndTokens(tx, ctx, user.id, 'mailbox_proof');
    if ((await this.linked.dropAll(tx, user.id)) > 0) dropped.push('linked_accounts');
    await this.audit.record(tx, ctx, 'user.email_verified', {
      userId: user.id,
      target: { type: 'user', id: user.id },
      metadata: { by: 'mailbox', dropped },
    });
  }
}
