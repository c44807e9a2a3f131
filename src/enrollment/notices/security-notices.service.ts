import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Text } from '../../common/i18n/message.js';
import { Outbox } from '../../delivery/outbox/outbox.service.js';
import { queueOf } from '../../mail/sending/notices.rules.js';
import { AccountMails, type MailOrigin, type RequestTemplate } from './account-mails.js';
import type { MailModels } from '../../mail/content/mail.js';
import { UsersService } from '../../users/users.service.js';

/** Mails that notify users of changes to the ways to sign in to their account. */
export type SecurityNotice =
  | 'password-set'
  | 'password-changed'
  | 'second-factor-changed'
  | 'second-factor-locked'
  | 'passkey-changed'
  | 'linked-account-changed'
  | 'new-sign-in';

/** Mails to administrators that others can cause any number of times. */
export type LimitedNotice = 'made-admin' | 'new-admin' | 'new-admins' | RequestTemplate;

/**
 * Also sent to unverified addresses: each can be sent only once for an account, and the owner of the mailbox should
 * know what a stranger does in their name.
 */
const ALSO_UNVERIFIED: ReadonlySet<SecurityNotice> = new Set(['password-set']);

/** Number of recipients of one job, which sends the mails in one transaction. */
const RECIPIENTS_AT_ONCE = 100;

/**
 * Notifies a user of a change to their account, in the transaction of the change. Repeatable notices are sent to
 * verified addresses only: otherwise an attacker could sign up with a stranger's address and make the service send
 * mails to it without end.
 */
@Injectable()
export class SecurityNotices {
  constructor(
    private readonly users: UsersService,
    private readonly mails: AccountMails,
    private readonly outbox: Outbox,
  ) {}

  /**
   * @param client the app where it happened; null: the service itself
   * @param to recipient of the mail with a link, and the link's lifetime; null: the user's address, without a link
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

  /**
   * Sends a mail to each of these users with a verified address, within the limit. `LimitedNoticesHandler` checks both
   * after the commit.
   */
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
      await this.outbox.add(tx, queueOf(template), 'notice.limited', payload, { group });
    }
  }
}
