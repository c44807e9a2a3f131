import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { appBrand } from '../../../apps/directory/app-brand.js';
import { AppDirectory, type RegisteredClient } from '../../../apps/directory/app-directory.js';
import { foldedEmail } from '../../../common/validation/email.rules.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import type { User } from '../../../users/user.entity.js';
import { MailService } from '../../../mail/sending/mail.service.js';
import { keyOf } from '../../../rate-limits/counters/counter-keys.rules.js';
import { RateLimited } from '../../../rate-limits/rate-limited.js';
import { RateLimitsService } from '../../../rate-limits/rate-limits.service.js';

type Approved = Pick<User, 'id' | 'email' | 'locale'>;

/**
 * Mails a user that their request for access was approved. Administrators can make accounts with the addresses of
 * strangers, and approve them again and again, so each mail counts by user, by address and by app, as links and invites
 * do.
 */
@Injectable()
export class ApprovalMail {
  constructor(
    private readonly directory: AppDirectory,
    private readonly mails: MailService,
    private readonly limits: RateLimitsService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** The app as the mail shows it. Called before the transaction, which would need a second connection for it. */
  find(appId: string): Promise<RegisteredClient | null> {
    return this.directory.find(appId);
  }

  /** If a limit is reached, only the mail log has it. @returns whether it is sent */
  async sendWithinLimits(tx: EntityManager, client: RegisteredClient, user: Approved): Promise<boolean> {
    try {
      await this.send(tx, client, user);
      return true;
    } catch (error) {
      if (!(error instanceof RateLimited)) throw error;
      const subject = { userId: user.id, app: client.app };
      await this.mails.skip(tx, { template: 'approved', to: user.email }, subject);
      return false;
    }
  }

  /** @throws RateLimited */
  async send(tx: EntityManager, client: RegisteredClient, user: Approved): Promise<void> {
    const { id, tenantId } = client.app;
    await this.limits.consume('member_mail', keyOf(user.id, tenantId));
    await this.limits.consume('member_mail', keyOf(foldedEmail(user.email), tenantId));
    await this.limits.consume('invite_mail', keyOf(tenantId, id));
    const mail = {
      template: 'approved',
      to: user.email,
      locale: user.locale,
      brand: appBrand(client),
      holdsFor: null,
    } as const;
    const model = { link: this.signInLink(client) };
    const subject = { userId: user.id, app: client.app };
    await this.mails.send(tx, { ...mail, replyTo: client.tenant.supportEmail, model }, subject, null);
  }

  /**
   * The hosted sign-in page, never the redirect URI itself, which expects a code. Null if the app has no redirect URI.
   */
  private signInLink({ app, redirectUris }: RegisteredClient): string | null {
    const [first] = redirectUris;
    if (first === undefined) return null;
    return `${this.settings.baseUrl}/login?app_id=${app.id}&redirect_uri=${encodeURIComponent(first)}`;
  }
}
