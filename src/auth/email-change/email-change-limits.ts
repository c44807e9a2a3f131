import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../../common/request-context.js';
import { clientAddressKey } from '../../rate-limits/client-address.js';
import { keyOf } from '../../rate-limits/counters/counter-keys.rules.js';
import { RateLimitsService } from '../../rate-limits/rate-limits.service.js';

/** Limits of the mails that a change makes us send to addresses that are not proven yet. */
@Injectable()
export class EmailChangeLimits {
  constructor(private readonly limits: RateLimitsService) {}

  /**
   * Counts a request by user and network, and the code by the new address and the user: a stranger who asks for the same
   * address uses up their own codes, and only many accounts together those of the address.
   * @returns false where the new address has had enough codes; the answer is the same
   * @throws RateLimited
   */
  async take(ctx: RequestContext, userId: string, emailCanonical: string): Promise<boolean> {
    await this.limits.consume('email_change', userId);
    await this.limits.consume('mail_ip', clientAddressKey(ctx.ip));
    return (await this.limits.tryConsume('email_change_address', keyOf(emailCanonical, userId))).allowed;
  }
}
