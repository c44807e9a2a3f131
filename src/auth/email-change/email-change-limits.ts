import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../../common/request-context.js';
import { clientAddressKey } from '../../rate-limits/client-address.js';
import { keyFromNetwork } from '../../rate-limits/counters/counter-keys.rules.js';
import { RateLimitsService } from '../../rate-limits/rate-limits.service.js';

/** Limits of the mails that an e-mail change sends to addresses that are not verified yet. */
@Injectable()
export class EmailChangeLimits {
  constructor(private readonly limits: RateLimitsService) {}

  /**
   * Counts a request by user and network, and the code by the new address with the user and with the network. Accounts are
   * free: a stranger who asks for the same address uses up the codes of their network, however many accounts they have.
   * @returns false where the new address has had enough codes; the answer is the same
   * @throws RateLimited
   */
  async take(ctx: RequestContext, userId: string, emailCanonical: string): Promise<boolean> {
    await this.limits.consume('email_change', userId);
    const network = clientAddressKey(ctx.ip);
    await this.limits.consume('mail_ip', network);
    const key = keyFromNetwork(emailCanonical, userId, network);
    return (await this.limits.tryConsume('email_change_address', key)).allowed;
  }
}
