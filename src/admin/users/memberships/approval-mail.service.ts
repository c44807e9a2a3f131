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

/** A mail that was counted before the transaction of the approval. */
export interface CountedMail {
  /** The app as the mail shows it. */
  readonly client: RegisteredClient;
  /** False: a limit is reached, so only the mail log gets it. */
  readonly isWithinLimits: boolean;
}

/**
 * Mails a user that their request for access was approved. Administrators can make accounts with the addresses of
 * strangers, and approve them again and again, so each mail counts by user, by address and by app. It is counted before
 * the transaction: no row is locked while Redis answers, and a transaction that is tried again counts once.
 */
@Injectable()
export class ApprovalMail {
  constructor(
    private readonly directory: AppDirectory,
    private readonly mails: MailService,
    private readonly limits: RateLimitsService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Counts a mail of this app to the user, whom the caller may approve. Null if the app was deleted. */
  async countIfAllowed(appId: string, user: Approved): Promise<CountedMail | null> {
    const client = await this.directory.find(appId);
    if (!client) return null;
    try {
      await this.count(client, user);
      return { client, isWithinLimits: true };
    } catch (error) {
      if (!(error instanceof RateLimited)) throw error;
      return { client, isWithinLimits: false };
    }
  }

  /** The limit of the app first, and without counting: mails that it refuses use up no limit of the user. @throws RateLimited */
  async count({ app }: RegisteredClient, user: Approved): Promise<void> {
    const ofApp = keyOf(app.tenantId, app.id);
    await this.limits.checkLeft('approval_mail', ofApp);
    await this.limits.consume('member_mail', keyOf(user.id, app.tenantId));
    await this.limits.consume('member_mail', keyOf(foldedEmail(user.email), app.tenantId));
    await this.limits.consume('approval_mail', ofApp);
  }

  /** @returns whether it is sent; otherwise only the mail log has it */
  async sendCounted(tx: EntityManager, { client, isWithinLimits }: CountedMail, user: Approved): Promise<boolean> {
    if (isWithinLimits) await this.send(tx, client, user);
    else await this.mails.skip(tx, { template: 'approved', to: user.email }, { userId: user.id, app: client.app });
    return isWithinLimits;
  }

  /** After {@link count}. */
  async send(tx: EntityManager, client: RegisteredClient, user: Approved): Promise<void> {
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
