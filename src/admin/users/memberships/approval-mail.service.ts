import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { appBrand } from '../../../apps/directory/app-brand.js';
import { AppDirectory, type RegisteredClient } from '../../../apps/directory/app-directory.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import type { User } from '../../../users/user.entity.js';
import { MailService } from '../../../mail/sending/mail.service.js';

/** Mails a user that their request for access was approved. */
@Injectable()
export class ApprovalMail {
  constructor(
    private readonly directory: AppDirectory,
    private readonly mails: MailService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** The app as the mail shows it. Called before the transaction, which would need a second connection for it. */
  find(appId: string): Promise<RegisteredClient | null> {
    return this.directory.find(appId);
  }

  async send(tx: EntityManager, client: RegisteredClient, user: Pick<User, 'id' | 'email' | 'locale'>): Promise<void> {
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
