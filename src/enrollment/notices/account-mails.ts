import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { appBrand } from '../../apps/directory/app-brand.js';
import type { RegisteredClient } from '../../apps/directory/app-directory.js';
import { OWN_BRAND } from '../../common/pages/brand/brand.js';
import type { Mail, MailTemplate } from '../../mail/content/mail.js';
import { MailService } from '../../mail/sending/mail.service.js';
import type { User } from '../../users/user.entity.js';
import { EnrollmentsRepository } from '../enrollments/enrollments.repository.js';

/** The app that caused a mail. */
export type MailOrigin = Pick<RegisteredClient, 'app' | 'tenant'>;

/** Mails about requests for access to an app, to its administrators. */
export type RequestTemplate = 'access-request' | 'access-requests';

/**
 * Mails about a user's account, which belongs to no app. A mail that an app caused has the app's name, colors and
 * Reply-To only if the user is a member or has requested access. Otherwise an attacker could send mails to strangers in
 * an app's name. Mails about requests for access always have its name and colors, because their recipients administer
 * it, and never a Reply-To.
 */
@Injectable()
export class AccountMails {
  constructor(
    private readonly enrollments: EnrollmentsRepository,
    private readonly mails: MailService,
  ) {}

  /**
   * @param client app that caused the mail; null: the service itself
   * @param lifetimeSeconds see `MailService.send`
   */
  async send<Template extends MailTemplate>(
    tx: EntityManager,
    to: Pick<User, 'id' | 'email' | 'locale'>,
    client: MailOrigin | null,
    mail: Omit<Mail<Template>, 'to' | 'brand' | 'replyTo' | 'locale'>,
    lifetimeSeconds: number | null,
  ): Promise<void> {
    const isAboutApp = isAboutRequests(mail.template);
    const sender = client && (isAboutApp || (await this.isMember(tx, to.id, client))) ? client : null;
    const brand = sender ? appBrand(sender) : OWN_BRAND;
    const replyTo = isAboutApp ? null : (sender?.tenant.supportEmail ?? null);
    const addressed = { ...mail, to: to.email, brand, replyTo, locale: to.locale } as Mail<Template>;
    const subject = { userId: to.id, app: sender?.app ?? null, ...(client && { tenantId: client.tenant.id }) };
    await this.mails.send(tx, addressed, subject, lifetimeSeconds);
  }

  /** Whether the mail may show the app: the user is a member or has requested access. */
  async isMember(tx: EntityManager, userId: string, { app }: MailOrigin): Promise<boolean> {
    const enrollment = await this.enrollments.find(userId, app.id, tx);
    return enrollment !== null && enrollment.status !== 'suspended';
  }
}

export function isAboutRequests(template: MailTemplate): template is RequestTemplate {
  return template === 'access-request' || template === 'access-requests';
}
