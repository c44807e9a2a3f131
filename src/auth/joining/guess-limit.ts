import { Injectable } from '@nestjs/common';
import { AuditService } from '../../audit/audit.service.js';
import type { RequestContext } from '../../common/request-context.js';
import {
  InvalidInvite,
  InviteLapsed,
  InviteMadeWhileActing,
  InviteNotForThisEmail,
} from '../../invites/invites.errors.js';
import { clientAddressKey } from '../../rate-limits/client-address.js';
import { RateLimitsService } from '../../rate-limits/rate-limits.service.js';

/** Wrong invite codes per network address. */
@Injectable()
export class GuessLimit {
  constructor(
    private readonly limits: RateLimitsService,
    private readonly audit: AuditService,
  ) {}

  /** Runs what tries a code; where it was a wrong one, that counts for good. @throws RateLimited before trying */
  async watch<T>(ctx: RequestContext, work: () => Promise<T>): Promise<T> {
    return this.limits.whileLeft('invite_failures', [clientAddressKey(ctx.ip)], async (countFailure) => {
      try {
        return await work();
      } catch (error) {
        if (error instanceof InvalidInvite || error instanceof InviteNotForThisEmail) countFailure();
        // After the transaction that it was refused in, which is undone by now.
        if (error instanceof InviteMadeWhileActing) await this.audit.recordAlone(ctx, 'invite.refused', error.subject);
        if (error instanceof InviteLapsed) await this.audit.recordAlone(ctx, 'invite.refused', error.subject);
        throw error;
      }
    });
  }
}
