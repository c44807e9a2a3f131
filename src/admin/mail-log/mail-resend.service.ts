import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../../common/request-context.js';
import { InvitesService } from '../../invites/creation/invites.service.js';
import { ApprovalResend } from '../users/mailed-links/approval-resend.service.js';
import { MemberLinks } from '../users/mailed-links/member-links.service.js';
import { MailNotResendable } from './mail-log.errors.js';
import { MailLogReader } from './mail-log-reader.service.js';
import { judgeResend } from './mail-resend.rules.js';

/**
 * Sends a logged mail again. The use case of the first mail creates a new mail with a new link, with the same checks,
 * rate limit and audit entry.
 */
@Injectable()
export class MailResend {
  constructor(
    private readonly reader: MailLogReader,
    private readonly links: MemberLinks,
    private readonly approvals: ApprovalResend,
    private readonly invites: InvitesService,
  ) {}

  /**
   * @returns the address that the new mail is sent to: the user's current one
   * @throws MailNotFound, MailNotResendable, RateLimited, and the refusals of the use case
   */
  async resend(ctx: RequestContext, id: string): Promise<string> {
    const mail = await this.reader.get(ctx, id);
    const verdict = judgeResend(mail);
    if ('reason' in verdict) throw new MailNotResendable(verdict.reason);
    if (verdict.kind === 'approval') return this.approvals.send(ctx, verdict.userId, verdict.appId);
    if (verdict.kind !== 'invite') return this.links.send(ctx, verdict.kind, verdict.userId, verdict.appId);
    const { invite } = await this.invites.resend(ctx, verdict.inviteId, {});
    return invite.email!;
  }
}
