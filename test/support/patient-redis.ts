import type { Redis } from 'ioredis';
import type { RateLimitStore } from '../../src/rate-limits/counters/rate-limit-store.js';

const PATIENCE_MS = 30_000;

/**
 * Waits longer for the answers of Redis: a hit that Redis has not counted within 500 ms is counted in memory, which on a
 * busy machine happens at any time. For tests that are about counting in Redis, not about that limit.
 */
export function withPatientRedis(store: RateLimitStore): void {
  const { redis } = store as unknown as { redis: Redis };
  Object.assign(redis.options, { commandTimeout: PATIENCE_MS, socketTimeout: PATIENCE_MS });
}
