import { Injectable } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';
import { RateLimitStore } from './counters/rate-limit-store.js';
import type { RateLimitLabel } from './counters/rate-limit.rules.js';
import { RateLimitsService } from './rate-limits.service.js';

type ThrottlerRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/** Makes @nestjs/throttler use the service's store: a throttler's name is the label. */
@Injectable()
export class RateLimitThrottlerStorage implements ThrottlerStorage {
  constructor(
    private readonly limits: RateLimitsService,
    private readonly store: RateLimitStore,
  ) {}

  /**
   * Limit and window come from the rule of the label, as for every other limit; those of the throttler are the same.
   */
  async increment(key: string, _ttl: number, _limit: number, _block: number, name: string): Promise<ThrottlerRecord> {
    const label = name as RateLimitLabel;
    const rule = this.limits.rule(label);
    const { count, secondsLeft } = await this.store.hit(label, rule, key);
    return {
      totalHits: count,
      timeToExpire: secondsLeft,
      isBlocked: count > rule.points,
      timeToBlockExpire: secondsLeft,
    };
  }
}
