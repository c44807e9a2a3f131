import { Global, Module } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';
import { LargeBodySemaphores } from '../common/http/bodies/large-body-semaphores.js';
import { BearerThrottleGuard } from './bearer-throttle.guard.js';
import { NetworkLimitGuard } from './network-limit.guard.js';
import { RateLimitStore } from './counters/rate-limit-store.js';
import { RateLimitThrottlerStorage } from './rate-limit-throttler-storage.js';
import { RateLimitsStoreModule } from './rate-limits-store.module.js';
import { RateLimitsService } from './rate-limits.service.js';

/**
 * All limits: the counters, their store, the guard of requests with a token, the guard of routes that count by network
 * address, and the semaphores for large bodies. It knows no routes and no features, which declare what they count.
 */
@Global()
@Module({
  imports: [
    RateLimitsStoreModule,
    ThrottlerModule.forRootAsync({
      imports: [RateLimitsStoreModule],
      inject: [RateLimitsService, RateLimitStore],
      useFactory: (limits: RateLimitsService, store: RateLimitStore) => {
        const admin = limits.rule('admin');
        return {
          throttlers: [{ name: 'admin', limit: admin.points, ttl: admin.seconds * 1_000, skipIf: () => !admin.active }],
          storage: new RateLimitThrottlerStorage(limits, store),
          setHeaders: false,
        };
      },
    }),
  ],
  providers: [BearerThrottleGuard, NetworkLimitGuard, LargeBodySemaphores],
  exports: [RateLimitsStoreModule, ThrottlerModule, BearerThrottleGuard, NetworkLimitGuard, LargeBodySemaphores],
})
export class RateLimitsModule {}
