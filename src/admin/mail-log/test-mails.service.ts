import { Injectable } from '@nestjs/common';
import { appBrand } from '../../apps/directory/app-brand.js';
import type { RegisteredClient } from '../../apps/directory/app-directory.js';
import { Transactions } from '../../database/transactions.js';
import { MailService } from '../../mail/sending/mail.service.js';
import { RateLimitsService } from '../../rate-limits/rate-limits.service.js';
import { UsersService } from '../../users/users.service.js';
import { OwnEmailNotVerified } from './mail-log.errors.js';

/**
 * Sends operators a test mail in the branding of an app, to their own address only. A test mail changes nothing, so it
 * is in the mail log but not in the audit log.
 */
@Injectable()
export class TestMails {
  constructor(
    private readonly users: UsersService,
    private readonly mails: MailService,
    private readonly limits: RateLimitsService,
    private readonly transactions: Transactions,
  ) {}

  /**
   * @param operatorId the operator, also while they act as a tenant or an app
   * @param client an app that the operator governs
   * @returns the address that the mail is sent to
   * @throws UserNotFound, OwnEmailNotVerified, RateLimited
   */
  async send(operatorId: string, { app, tenant }: RegisteredClient): Promise<string> {
    const { id, email, emailVerified, locale } = await this.users.get(operatorId);
    if (!emailVerified) throw new OwnEmailNotVerified();
    await this.limits.consume('test_mail', id);
    const brand = appBrand({ app, tenant });
    const mail = {
      template: 'test',
      to: email,
      brand,
      replyTo: tenant.supportEmail,
      model: {},
      holdsFor: null,
    } as const;
    await this.transactions.run((tx) => this.mails.send(tx, { ...mail, locale }, { userId: id, app }, null));
    return email;
  }
}
