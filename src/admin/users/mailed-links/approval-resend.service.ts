import { Injectable } from '@nestjs/common';
import { AuditService } from '../../../audit/audit.service.js';
import type { RequestContext } from '../../../common/request-context.js';
import { Transactions } from '../../../database/transactions.js';
import { ApprovalMail } from '../memberships/approval-mail.service.js';
import { LinkRecipients } from './link-recipients.js';

/** Mails a member again that their request for access was approved. */
@Injectable()
export class ApprovalResend {
  constructor(
    private readonly recipients: LinkRecipients,
    private readonly mail: ApprovalMail,
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
  ) {}

  /**
   * @returns the address that the mail is sent to
   * @throws as {@link LinkRecipients.get}, RateLimited
   */
  async send(ctx: RequestContext, userId: string, appId: string): Promise<string> {
    const { user, client } = await this.recipients.get(ctx, userId, appId);
    await this.mail.count(client, user);
    await this.transactions.run(async (tx) => {
      await this.mail.send(tx, client, user);
      await this.audit.record(tx, ctx, 'enrollment.approval_resent', {
        userId: user.id,
        tenantId: client.app.tenantId,
        appId: client.app.id,
        target: { type: 'user', id: user.id },
      });
    });
    return user.email;
  }
}
