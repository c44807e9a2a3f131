import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { message, type Text } from '../../common/i18n/message.js';
import type { RegisteredClient } from '../../apps/directory/app-directory.js';
import { Randomness } from '../../common/randomness.js';
import type { RequestContext } from '../../common/request-context.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { hashOpaqueToken, newOpaqueToken } from '../../crypto/opaque-token.js';
import { AccountMails } from '../../enrollment/notices/account-mails.js';
import { clientAddressKey } from '../../rate-limits/client-address.js';
import { RateLimitsService } from '../../rate-limits/rate-limits.service.js';
import type { User } from '../../users/user.entity.js';
import type { MailLink, MailLinkPurpose } from './mail-link.entity.js';
import { MailLinksRepository } from './mail-links.repository.js';

interface Kind {
  readonly template: 'verify-email' | 'reset-password' | 'magic-link';
  /** Page that the mailed link opens. Opening it does not use up the link, because mail scanners follow links. */
  readonly path: string;
  readonly seconds: number;
  readonly holdsFor: Text;
}

const KINDS: Readonly<Record<MailLinkPurpose, Kind>> = {
  verify_email: {
    template: 'verify-email',
    path: '/verify-email',
    seconds: 24 * 3600,
    holdsFor: message('common.wait.hours', { count: 24 }),
  },
  reset_password: {
    template: 'reset-password',
    path: '/reset-password',
    seconds: 1800,
    holdsFor: message('common.wait.minutes', { count: 30 }),
  },
  magic_link: {
    template: 'magic-link',
    path: '/magic-link',
    seconds: 600,
    holdsFor: message('common.wait.minutes', { count: 10 }),
  },
};

/** Creates, mails, finds and uses up one-time links. */
@Injectable()
export class MailLinksService {
  constructor(
    private readonly links: MailLinksRepository,
    private readonly mails: AccountMails,
    private readonly limits: RateLimitsService,
    private readonly randomness: Randomness,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * Creates the link and queues its mail in the caller's transaction; earlier links of the same purpose become invalid.
   * A reset can be requested at any app without a sign-in, so neither the mail nor the link names an app of which the
   * user is not a member.
   */
  async mail(
    tx: EntityManager,
    purpose: MailLinkPurpose,
    user: User,
    client: RegisteredClient | null,
    request: object | null = null,
  ): Promise<void> {
    const { template, seconds, holdsFor } = KINDS[purpose];
    const isApart =
      purpose === 'reset_password' && client !== null && !(await this.mails.isMember(tx, user.id, client));
    const link = await this.make(tx, purpose, user, isApart ? null : client, request);
    await this.mails.send(tx, user, client, { template, holdsFor, model: { link } }, seconds);
  }

  /**
   * Mails a verification link for a new account. These are limited by network address, because otherwise an attacker
   * could make us send mail to any number of addresses.
   * @throws RateLimited
   */
  async mailVerification(tx: EntityManager, ctx: RequestContext, user: User, client: RegisteredClient): Promise<void> {
    await this.limits.consume('mail_ip', clientAddressKey(ctx.ip));
    await this.mail(tx, 'verify_email', user, client);
  }

  /**
   * Creates the link without a mail, for an operator who passes it on or a page that shows it.
   * @returns its URL
   */
  async make(
    tx: EntityManager,
    purpose: MailLinkPurpose,
    user: User,
    client: RegisteredClient | null,
    request: object | null = null,
  ): Promise<string> {
    const { path, seconds } = KINDS[purpose];
    const { token, hash } = newOpaqueToken(this.randomness);
    const row = {
      tokenHash: hash,
      purpose,
      userId: user.id,
      appId: client?.app.id ?? null,
      emailCanonical: user.emailCanonical,
    };
    await this.links.replace(tx, { ...row, request: request as Record<string, unknown> | null }, seconds);
    return `${this.settings.baseUrl}${path}?token=${token}`;
  }

  find(token: string, purpose: MailLinkPurpose): Promise<MailLink | null> {
    return this.links.find(hashOpaqueToken(token), purpose);
  }

  isUsable(token: string, purpose: MailLinkPurpose): Promise<boolean> {
    return this.links.isUsable(hashOpaqueToken(token), purpose);
  }

  consume(tx: EntityManager, token: string, purpose: MailLinkPurpose): Promise<MailLink | null> {
    return this.links.consume(tx, hashOpaqueToken(token), purpose);
  }

  deleteUnused(tx: EntityManager, userId: string, purpose: MailLinkPurpose): Promise<void> {
    return this.links.deleteUnused(tx, userId, purpose);
  }

  /** Deletes links that expired more than a day ago. */
  purge(): Promise<void> {
    return this.links.purge();
  }
}
