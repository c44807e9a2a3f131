import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { appBrand } from '../../apps/app-brand.js';
import { AppDirectory, type KnownApp } from '../../apps/app-directory.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import type { User } from '../../users/user.entity.js';
import { MailService } from '../../mail/mail.service.js';

/** Mails a user that their request for access was approved. */
@Injectable()
export class ApprovalMail {
  constructor(
    private readonly directory: AppDirectory,
    private readonly mails: MailService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** The app as the e-mail shows it: read before the transaction, which would need a second connection for it. */
  find(appId: string): Promise<KnownApp | null> {
    return this.directory.find(appId);
  }

  async send(tx: EntityManager, known: KnownApp, user: Pick<User, 'email' | 'locale'>): Promise<void> {
    const mail = {
      template: 'approved',
      to: user.email,
      locale: user.locale,
      brand: appBrand(known),
      holdsFor: null,
    } as const;
    const model = { link: this.signInLink(known) };
    await this.mails.send(tx, { ...mail, replyTo: known.tenant.supportEmail, model }, null);
  }

  /** The hosted page, never the redirect URI itself: that one awaits a code. Null where none is registered. */
  private signInLink({ app, redirectUris }: KnownApp): string | null {
    const [first] = redirectUris;
    if (first === undefined) return null;
    return `${this.settings.baseUrl}/login?app_id=${app.id}&redirect_uri=${encodeURIComponent(first)}`;
  }
}
