import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../../../common/request-context.js';
import { clientAddressKey } from '../../../rate-limits/client-address.js';
import { browserKey, type UserLimitLabel } from '../../../rate-limits/counters/counter-keys.rules.js';
import { type RateLimitVerdict, RateLimitsService } from '../../../rate-limits/rate-limits.service.js';
import { KnownBrowsers } from './known-browsers.service.js';

/**
 * The rate limits that protect a user's account. Each counts per user and network address, and allows ten times as many
 * tries per user, so that one attacker does not lock the owner out. A browser that has signed the user in before is
 * counted by itself, so that many attackers do not either.
 */
@Injectable()
export class UserLimits {
  constructor(
    private readonly limits: RateLimitsService,
    private readonly browsers: KnownBrowsers,
  ) {}

  /**
   * @param email canonical
   * @throws RateLimited if the limit is exceeded
   */
  async consume(ctx: RequestContext, label: UserLimitLabel, email: string): Promise<void> {
    const { allowed, retryAfter } = await this.tryConsume(ctx, label, email);
    if (!allowed) throw this.limits.refusal(label, retryAfter);
  }

  /**
   * Counts a try, and returns whether it is allowed.
   * @param email canonical
   */
  async tryConsume(ctx: RequestContext, label: UserLimitLabel, email: string): Promise<RateLimitVerdict> {
    return this.limits.tryConsumeOfUser(label, email, await this.sourceOf(ctx, email));
  }

  /**
   * Called after a success, to take back the try that was counted here.
   * @param email canonical
   */
  async forgive(ctx: RequestContext, label: UserLimitLabel, email: string): Promise<void> {
    await this.limits.forgive(label, email, await this.sourceOf(ctx, email));
  }

  private async sourceOf(ctx: RequestContext, email: string): Promise<string> {
    const known = await this.browsers.recognizeAddress(ctx, email);
    return known === null ? clientAddressKey(ctx.ip) : browserKey(known);
  }
}
