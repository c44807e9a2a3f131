import { Injectable } from '@nestjs/common';
import { AuditService } from '../../../audit/audit.service.js';
import { MailLinksService } from '../../../auth/email-links/mail-links.service.js';
import type { RequestContext } from '../../../common/request-context.js';
import { Transactions } from '../../../database/transactions.js';
import { keyOf } from '../../../rate-limits/counters/counter-keys.rules.js';
import { RateLimitsService } from '../../../rate-limits/rate-limits.service.js';
import { LinkRecipients } from './link-recipients.js';
import { EmailAlreadyVerified } from './mailed-links.errors.js';

/** A link to choose a new password, or to verify the address. */
export type MemberLinkPurpose = 'reset_password' | 'verify_email';

const ACTIONS = { reset_password: 'user.reset_link_sent', verify_email: 'user.verification_sent' } as const;

/**
 * Links that an administrator sends to a member: the same that the member could request on the sign-in page. Only the
 * member sees the link, so it gives the administrator no access to the account.
 */
@Injectable()
export class MemberLinks {
  constructor(
    private readonly recipients: LinkRecipients,
    private readonly links: MailLinksService,
    private readonly limits: RateLimitsService,
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
  ) {}

  /**
   * Invalidates earlier links of this kind.
   * @returns the address that the mail is sent to
   * @throws as {@link LinkRecipients.get}, EmailAlreadyVerified, RateLimited
   */
  async send(ctx: RequestContext, purpose: MemberLinkPurpose, userId: string, appId: string): Promise<string> {
    const { user, client } = await this.recipients.get(ctx, userId, appId);
    if (purpose === 'verify_email' && user.emailVerified) throw new EmailAlreadyVerified();
    await this.limits.consume('member_mail', keyOf(user.id, client.app.tenantId));
    await this.transactions.run(async (tx) => {
      await this.links.mail(tx, purpose, user, client);
      await this.audit.record(tx, ctx, ACTIONS[purpose], {
        userId: user.id,
        tenantId: client.app.tenantId,
        appId: client.app.id,
        target: { type: 'user', id: user.id },
      });
    });
    return user.email;
  }
}
