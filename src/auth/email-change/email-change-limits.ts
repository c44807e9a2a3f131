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
   * Counts the request by user and by network, and the code for the new address by user, by network and in total.
   * Accounts cost nothing: an attacker who requests codes for one address with many accounts uses up the limit of their
   * own network.
   * @returns false if the limit of codes for the new address is reached; the response must be the same
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
