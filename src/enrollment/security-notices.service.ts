import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Text } from '../common/i18n/message.js';
import { AccountMails, type MailOrigin } from './account-mails.js';
import type { MailModels } from '../mail/mail.js';
import { keyInTenant } from '../rate-limits/counter-keys.rules.js';
import { RateLimitsService } from '../rate-limits/rate-limits.service.js';
import { UsersService } from '../users/users.service.js';

/** Mails that tell people of a change to how their account is entered. */
export type SecurityNotice =
  | 'password-set'
  | 'password-changed'
  | 'second-factor-changed'
  | 'second-factor-locked'
  | 'passkey-changed'
  | 'linked-account-changed'
  | 'new-sign-in'
  | 'made-admin'
  | 'new-admin';

/**
 * Sent to addresses that are not verified, too: each can come only once for an account, and the owner of the mailbox
 * should know what a stranger does in their name.
 */
const ALSO_UNVERIFIED: ReadonlySet<SecurityNotice> = new Set(['password-set']);

/** What an administrator causes, as often as they like: above `administrator_mail` the recipients have been warned, each by each tenant. */
const LIMITED: ReadonlySet<SecurityNotice> = new Set(['made-admin', 'new-admin']);

/**
 * The one way to tell a user that their account was changed, in the transaction that changes it. Repeatable notices go
 * to verified addresses only: else anyone could sign up with a stranger's address and have us write to it without end.
 */
@Injectable()
export class SecurityNotices {
  constructor(
    private readonly users: UsersService,
    private readonly mails: AccountMails,
    private readonly limits: RateLimitsService,
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
    if (LIMITED.has(template) && !(await this.isAllowed(userId, client))) return;
    const { id, locale } = user;
    const mail = { template, holdsFor: to?.holdsFor ?? null, model };
    await this.mails.send(tx, { id, locale, email: to?.email ?? user.email }, client, mail, null);
  }

  private async isAllowed(userId: string, client: MailOrigin | null): Promise<boolean> {
    const { app, tenant } = client ?? {};
    const key = app && tenant ? keyInTenant(userId, tenant.id, app.id, app.isConsoleApp) : userId;
    return (await this.limits.tryConsume('administrator_mail', key)).allowed;
  }
}
