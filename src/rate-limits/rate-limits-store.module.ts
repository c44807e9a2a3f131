import { Module } from '@nestjs/common';
import { RateLimitStore } from './counters/rate-limit-store.js';
import { RateLimitsService } from './rate-limits.service.js';

/** Apart from the RateLimitsModule because the throttler's own module needs it to be configured. */
@Module({ providers: [RateLimitStore, RateLimitsService], exports: [RateLimitsService, RateLimitStore] })
export class RateLimitsStoreModule {}
