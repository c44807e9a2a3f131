import { Injectable } from '@nestjs/common';
import { appBrand } from '../../apps/directory/app-brand.js';
import type { RegisteredClient } from '../../apps/directory/app-directory.js';
import { Transactions } from '../../database/transactions.js';
import { MailService } from '../../mail/sending/mail.service.js';
import { RateLimitsService } from '../../rate-limits/rate-limits.service.js';
import { UsersService } from '../../users/users.service.js';
import { OwnEmailNotVerified } from './mail-log.errors.js';

/**
 * Mails in the branding of an app that operators send to themselves, and to no one else. They change nothing, so the
 * mail log lists them and the audit log does not.
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
   * @param client an app that they govern
   * @returns the address that it goes to
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
