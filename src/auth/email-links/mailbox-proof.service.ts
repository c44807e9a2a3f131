import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditService } from '../../audit/audit.service.js';
import type { RequestContext } from '../../common/request-context.js';
import type { User } from '../../users/user.entity.js';
import { ActiveGrants } from '../../tokens/grants/revocation/active-grants.service.js';
import { UsersService } from '../../users/users.service.js';
import { SecondFactorService } from '../credentials/second-factor/management/second-factor.service.js';
import { LinkedAccountsService } from '../providers/linked/linked-accounts.service.js';
import type { KeptCredentials } from './kept-credentials.rules.js';

/**
 * A user who uses a mailed link has access to the mailbox. If the address of the account was not verified before,
 * everything that was set up before is removed, except for `kept`: an attacker may have set it up and waited for the
 * owner (account pre-hijacking).
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

  /**
   * @param emailCanonical the address that the link was sent to
   * @returns whether this verified the address for the first time
   */
  async accept(
    tx: EntityManager,
    ctx: RequestContext,
    user: User,
    emailCanonical: string,
    { by, kept }: { by: 'mailbox' | 'link'; kept: KeptCredentials } = { by: 'mailbox', kept: 'nothing' },
  ): Promise<boolean> {
    const first = await this.users.verifyEmail(tx, user.id, emailCanonical);
    if (!first) return false;
    const dropsOwn = kept === 'nothing' && user.passwordHash !== null && !first.passwordRemoved;
    if (dropsOwn) await this.users.clearPassword(tx, user.id);
    const password = dropsOwn || first.passwordRemoved ? ['password'] : [];
    const dropped = kept === 'all' ? password : await this.dropRest(tx, ctx, user.id, password);
    await this.audit.record(tx, ctx, 'user.email_verified', {
      userId: user.id,
      target: { type: 'user', id: user.id },
      metadata: { by, dropped },
    });
    return true;
  }

  /**
   * Removes everything except for the password.
   * @param password `['password']` if it has been removed already
   * @returns what was removed, including the password, for the audit log
   */
  private async dropRest(
    tx: EntityManager,
    ctx: RequestContext,
    userId: string,
    password: readonly string[],
  ): Promise<string[]> {
    const dropped = ['sessions', ...password];
    if (await this.secondFactor.drop(tx, userId)) dropped.push('second_factor');
    await this.signIns.revokeAllSessionsAndTokens(tx, ctx, userId, 'mailbox_proof');
    if ((await this.linked.dropAll(tx, userId)) > 0) dropped.push('linked_accounts');
    return dropped;
  }
}
