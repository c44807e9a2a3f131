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

/** Limits wrong invite codes per network address. */
@Injectable()
export class GuessLimit {
  constructor(
    private readonly limits: RateLimitsService,
    private readonly invites: InviteRedemption,
    private readonly audit: AuditService,
  ) {}

  /**
   * Runs work that uses an invite code, and counts wrong codes. A code that does not exist, or was mailed to another
   * address, is counted before the work, so that concurrent requests cannot try more codes than the limit. Another code
   * is counted only if the work refuses it as invalid or for another address.
   * @param email address of the user who uses the code, as typed or as signed in; null: the address is not compared
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
      // Recorded here, because the transaction that refused the code has been rolled back.
      if (error instanceof InviteMadeWhileActing) await this.audit.recordAlone(ctx, 'invite.refused', error.subject);
      if (error instanceof InviteLapsed) await this.audit.recordAlone(ctx, 'invite.refused', error.subject);
      throw error;
    }
  }
}
