import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import { AuditService } from '../../../audit/audit.service.js';
import { Randomness } from '../../../common/randomness.js';
import type { RequestContext } from '../../../common/request-context.js';
import { readEmail } from '../../../common/validation/email.rules.js';
import type { User } from '../../../users/user.entity.js';
import { UsersService } from '../../../users/users.service.js';
import type { ExternalIdentity } from './external-identity.js';
import { LastSignInMethod, LinkedAccountNotFound } from './linked-accounts.errors.js';
import { LinkNotices } from './link-notices.js';
import type { LinkedAccount } from './linked-account.entity.js';
import { LinkedAccountsRepository } from './linked-accounts.repository.js';

/** How a link was made, for the audit entry. */
export type LinkedBy = 'sign_up' | 'verified_email' | 'account_page' | 'invite' | 'import';

const BATCH = 500;

/**
 * Manages the identities at providers that open an account. Changes are audited and mailed to the user, except where a
 * comment says otherwise.
 */
@Injectable()
export class LinkedAccountsService {
  constructor(
    private readonly accounts: LinkedAccountsRepository,
    private readonly users: UsersService,
    private readonly notices: LinkNotices,
    private readonly audit: AuditService,
    private readonly randomness: Randomness,
  ) {}

  /**
   * Id of the user whose account this identity opens, or null. Looked up by provider and subject, never by e-mail
   * address.
   */
  async findUserId(
    identity: Pick<ExternalIdentity, 'provider' | 'subject'>,
    tx?: EntityManager,
  ): Promise<string | null> {
    return (await this.accounts.findIdentity(identity.provider, identity.subject, tx))?.userId ?? null;
  }

  /** Oldest first. */
  listOf(userId: string): Promise<LinkedAccount[]> {
    return this.accounts.listOf(userId);
  }

  /**
   * Links the identity. The caller has decided that it may open the account.
   * @param client the app at which it is linked; null: on the account page
   * @throws LinkedElsewhere
   */
  async link(
    tx: EntityManager,
    ctx: RequestContext,
    user: User,
    identity: ExternalIdentity,
    by: LinkedBy,
    client: RegisteredClient | null,
  ): Promise<void> {
    const { provider, subject, email } = identity;
    const id = this.randomness.uuid();
    await this.accounts.insert(tx, { id, userId: user.id, provider, subject, email: shownEmail(email) });
    await this.audit.record(tx, ctx, 'linked_account.added', {
      userId: user.id,
      tenantId: client?.app.tenantId ?? null,
      appId: client?.app.id ?? null,
      target: { type: 'linked_account', id },
      metadata: { provider, by },
    });
    // No mail at the creation of the account: the user knows how they sign in.
    if (by !== 'sign_up' && by !== 'invite') await this.notices.linked(tx, ctx, user, provider, client);
  }

  /** Linked accounts by user id. Users without one are absent. */
  async listOfAll(userIds: readonly string[]): Promise<Map<string, LinkedAccount[]>> {
    const byUser = new Map<string, LinkedAccount[]>();
    for (const each of await this.accounts.listOfAll(userIds)) {
      const known = byUser.get(each.userId);
      if (known) known.push(each);
      else byUser.set(each.userId, [each]);
    }
    return byUser;
  }

  /**
   * Links identities from an imported document to accounts that the same transaction has created. An identity that
   * already opens another account stays linked to it. No mail is sent, because the account did not exist before.
   */
  async addImported(
    tx: EntityManager,
    ctx: RequestContext,
    links: readonly Pick<LinkedAccount, 'userId' | 'provider' | 'subject' | 'email'>[],
  ): Promise<void> {
    for (let start = 0; start < links.length; start += BATCH) {
      const rows = links.slice(start, start + BATCH).map((link) => ({
        id: this.randomness.uuid(),
        ...link,
        email: shownEmail(link.email),
      }));
      const inserted = await this.accounts.insertMissing(tx, rows);
      const subjects = rows.flatMap(({ id, userId, provider }) =>
        inserted.has(id)
          ? [
              {
                userId,
                target: { type: 'linked_account', id },
                metadata: { provider, by: 'import' satisfies LinkedBy },
              },
            ]
          : [],
      );
      await this.audit.recordAll(tx, ctx, 'linked_account.added', subjects);
    }
  }

  /**
   * Removes a link. Voids the unfinished sign-ins of the user; sessions stay.
   * @throws LinkedAccountNotFound also if it is another user's; LastSignInMethod
   */
  async remove(tx: EntityManager, ctx: RequestContext, userId: string, id: string): Promise<void> {
    await this.users.voidProofs(tx, userId);
    const [linked, user] = [await this.accounts.lockOf(tx, userId), await this.users.get(userId, tx)];
    const account = linked.find((each) => each.id === id);
    if (!account) throw new LinkedAccountNotFound();
    if (user.passwordHash === null && linked.length === 1) throw new LastSignInMethod();
    await this.accounts.delete(tx, id);
    await this.audit.record(tx, ctx, 'linked_account.removed', {
      userId,
      target: { type: 'linked_account', id },
      metadata: { provider: account.provider },
    });
    await this.notices.removed(tx, ctx, user, account.provider);
  }

  /**
   * Removes all links of a user who has proven access to the mailbox, because another person may have made them. Sends
   * no mail and writes no audit entry itself.
   * @param since only those that were linked at this time or later
   * @returns the number of removed links
   */
  dropAll(tx: EntityManager, userId: string, since?: Date): Promise<number> {
    return this.accounts.deleteOf(tx, userId, since);
  }
}

/** Null for an address that is refused elsewhere because it looks like another one. */
function shownEmail(email: string | null): string | null {
  return email === null ? null : (readEmail(email)?.typed ?? null);
}
