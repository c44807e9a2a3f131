import { Module } from '@nestjs/common';
import { RateLimitStore } from './counters/rate-limit-store.js';
import { RateLimitsService } from './rate-limits.service.js';

/** Separate from the RateLimitsModule, because the throttler's module needs it for its configuration. */
@Module({ providers: [RateLimitStore, RateLimitsService], exports: [RateLimitsService, RateLimitStore] })
export class RateLimitsStoreModule {}
