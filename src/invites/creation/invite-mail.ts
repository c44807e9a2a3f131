import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { appBrand } from '../../apps/directory/app-brand.js';
import type { App } from '../../apps/app/app.entity.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { MailService } from '../../mail/sending/mail.service.js';
import { leftInWords } from '../../common/pages/durations.js';
import { foldedEmail } from '../../common/validation/email.rules.js';
import { withoutLinks } from '../../mail/content/without-links.js';
import { keyOf } from '../../rate-limits/counters/counter-keys.rules.js';
import { RateLimitsService } from '../../rate-limits/rate-limits.service.js';
import { TenantsService } from '../../tenants/tenants.service.js';
import { UsersService } from '../../users/users.service.js';
import type { Invite } from '../invite/invite.entity.js';

/** The mail with an invite's code. */
@Injectable()
export class InviteMail {
  constructor(
    private readonly tenants: TenantsService,
    private readonly users: UsersService,
    private readonly mails: MailService,
    private readonly limits: RateLimitsService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * Counts by tenant and address, with a higher limit by address, and by app, with a higher limit by tenant: otherwise
   * an operator could make the service mail strangers without end. Called before the transaction: no row is locked while
   * Redis answers, and a transaction that is tried again counts once.
   * @throws RateLimited
   */
  async count(app: App, email: string): Promise<void> {
    await this.limits.consume('member_mail', keyOf(foldedEmail(email), app.tenantId));
    await this.limits.consume('invite_mail', keyOf(app.tenantId, app.id));
  }

  /** After {@link count}. */
  async send(tx: EntityManager, app: App, invite: Invite, code: string, seconds: number): Promise<void> {
    const tenant = await this.tenants.get(app.tenantId, tx);
    const inviter = invite.createdBy ? await this.users.find(invite.createdBy, tx) : null;
    const mail = {
      template: 'invite' as const,
      to: invite.email!,
      brand: appBrand({ app, tenant }),
      replyTo: tenant.supportEmail,
      holdsFor: leftInWords(seconds),
      model: {
        link: `${this.settings.baseUrl}/invite?code=${code}`,
        code,
        invitedBy: inviter && withoutLinks(inviter.displayName),
      },
    };
    await this.mails.send(tx, mail, { userId: null, app, inviteId: invite.id }, seconds);
  }
}
