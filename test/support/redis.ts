import { Redis } from 'ioredis';
import { environmentVariable } from './environment-variable.js';

/** The run's Redis; each of jest's workers has its own logical database, so that counters do not meet. */
export function testRedisUrl(): string {
  const url = new URL(environmentVariable('TEST_REDIS_URL'));
  url.pathname = `/${process.env['JEST_WORKER_ID'] ?? '1'}`;
  return url.href;
}

/** Empties this worker's logical database. */
export async function emptyRedis(): Promise<void> {
  const redis = new Redis(testRedisUrl());
  try {
    await redis.flushdb();
  } finally {
    redis.disconnect();
  }
}
