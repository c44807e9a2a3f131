import { Injectable } from '@nestjs/common';
import { AuditService } from '../../../audit/audit.service.js';
import type { RequestContext } from '../../../common/request-context.js';
import {
  InvalidInvite,
  InviteLapsed,
  InviteMadeWhileActing,
  InviteNotForThisEmail,
} from '../../../invites/invite/invites.errors.js';
import { InviteRedemption } from '../../../invites/redemption/invite-redemption.service.js';
import { clientAddressKey } from '../../../rate-limits/client-address.js';
import { RateLimitsService } from '../../../rate-limits/rate-limits.service.js';

/** Wrong invite codes per network address. */
@Injectable()
export class GuessLimit {
  constructor(
    private readonly limits: RateLimitsService,
    private readonly invites: InviteRedemption,
    private readonly audit: AuditService,
  ) {}

  /**
   * Runs what uses a code. A code that there is not, or that was mailed to another address, counts before the work, so that of any
   * number at once no more than the limit are tried; another one counts only if the work finds that it does not serve.
   * @param email who uses it, as typed or as signed in; null: whose it is
   * @throws RateLimited before the work
   */
  async watch<T>(ctx: RequestContext, code: string, email: string | null, work: () => Promise<T>): Promise<T> {
    const key = clientAddressKey(ctx.ip);
    const fits = await this.limits.whileLeft('invite_failures', [key], async (countFailure) => {
      const found = await this.invites.isFor(code, email);
      if (!found) countFailure();
      return found;
    });
    try {
      return await work();
    } catch (error) {
      if (fits && (error instanceof InvalidInvite || error instanceof InviteNotForThisEmail))
        await this.limits.tryConsume('invite_failures', key);
      // After the transaction that it was refused in, which is undone by now.
      if (error instanceof InviteMadeWhileActing) await this.audit.recordAlone(ctx, 'invite.refused', error.subject);
      if (error instanceof InviteLapsed) await this.audit.recordAlone(ctx, 'invite.refused', error.subject);
      throw error;
    }
  }
}
