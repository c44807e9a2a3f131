import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Text } from '../../common/i18n/message.js';
import { Outbox } from '../../delivery/outbox/outbox.service.js';
import { AccountMails, type MailOrigin } from './account-mails.js';
import type { MailModels } from '../../mail/content/mail.js';
import { UsersService } from '../../users/users.service.js';

/** Mails that tell users that a way to sign in to their account has changed. */
export type SecurityNotice =
  | 'password-set'
  | 'password-changed'
  | 'second-factor-changed'
  | 'second-factor-locked'
  | 'passkey-changed'
  | 'linked-account-changed'
  | 'new-sign-in';

/** What an administrator causes, as often as they like. */
export type LimitedNotice = 'made-admin' | 'new-admin' | 'new-admins';

/**
 * Sent to addresses that are not verified, too: each can come only once for an account, and the owner of the mailbox
 * should know what a stranger does in their name.
 */
const ALSO_UNVERIFIED: ReadonlySet<SecurityNotice> = new Set(['password-set']);

/** Recipients of one job, which mails them in one transaction. */
const RECIPIENTS_AT_ONCE = 100;

/**
 * The one way to tell a user that their account was changed, in the transaction that changes it. Repeatable notices go
 * to verified addresses only: otherwise an attacker could sign up with a stranger's address and make us mail it endlessly.
 */
@Injectable()
export class SecurityNotices {
  constructor(
    private readonly users: UsersService,
    private readonly mails: AccountMails,
    private readonly outbox: Outbox,
  ) {}

  /**
   * @param client the app where it happened; null: at the service itself
   * @param to where a link goes with it, and how long that works; null: to the user's address, without one
   */
  async send<Notice extends SecurityNotice>(
    tx: EntityManager,
    userId: string,
    template: Notice,
    model: MailModels[Notice],
    client: MailOrigin | null = null,
    to: { readonly email: string; readonly holdsFor: Text } | null = null,
  ): Promise<void> {
    const user = await this.users.find(userId, tx);
    if (!user || (!user.emailVerified && !ALSO_UNVERIFIED.has(template))) return;
    const { id, locale } = user;
    const mail = { template, holdsFor: to?.holdsFor ?? null, model };
    await this.mails.send(tx, { id, locale, email: to?.email ?? user.email }, client, mail, null);
  }

  /** A mail to each of these users who has a verified address and room in the limit: `LimitedNoticesHandler` looks, after the commit. */
  async sendLimited<Notice extends LimitedNotice>(
    tx: EntityManager,
    userIds: readonly string[],
    template: Notice,
    model: MailModels[Notice],
    client: MailOrigin | null = null,
  ): Promise<void> {
    const [appId, group] = [client?.app.id ?? null, client?.tenant.id ?? null];
    for (let start = 0; start < userIds.length; start += RECIPIENTS_AT_ONCE) {
      const readers = await this.users.listVerified(userIds.slice(start, start + RECIPIENTS_AT_ONCE), tx);
      if (readers.length === 0) continue;
      const payload = { userIds: readers.map(({ id }) => id), appId, notice: { template, model } };
      await this.outbox.add(tx, 'mail', 'notice.limited', payload, { group });
    }
  }
}
