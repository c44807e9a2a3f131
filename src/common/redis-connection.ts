import { Redis, type RedisOptions } from 'ioredis';

/** A command that Redis does not answer within this time fails (milliseconds). */
export const REDIS_COMMAND_TIMEOUT_MS = 500;

/** Longest pause between two attempts to connect: while Redis hangs, one attempt per second. */
const MAX_PAUSE_MS = 1_000;

/**
 * A connection that never makes requests wait: while Redis is unavailable, commands fail at once. A connection that
 * does not answer a command within {@link REDIS_COMMAND_TIMEOUT_MS} is closed and replaced, whether Redis hangs or only
 * the network is broken in one direction, so that later commands do not wait. A new connection counts as open only
 * after Redis has answered on it, and reconnecting never stops. A connection to a Redis that has become read-only is also
 * replaced: after a failover, it is the old primary, and the address leads to the new one. The owner closes the connection and need not handle
 * `error` events, which are ignored here.
 */
export function openRedis(url: string, options: RedisOptions = {}): Redis {
  const redis = new Redis(url, {
    connectTimeout: 2_000,
    commandTimeout: REDIS_COMMAND_TIMEOUT_MS,
    socketTimeout: REDIS_COMMAND_TIMEOUT_MS,
    enableOfflineQueue: false,
    disableClientInfo: true,
    maxRetriesPerRequest: 0,
    reconnectOnError: ({ message }) => /\bREADONLY\b/.test(message),
    retryStrategy: (times) => Math.min(50 * 2 ** Math.min(times, 6), MAX_PAUSE_MS),
    ...options,
  });
  // Without a listener, ioredis prints every failed reconnect. Callers notice it through their own commands.
  redis.on('error', () => undefined);
  return redis;
}

/** Closes the connection after its pending commands; at once if Redis does not answer. */
export async function closeRedis(redis: Redis): Promise<void> {
  if (redis.status === 'ready') {
    const patience = setTimeout(() => redis.disconnect(), REDIS_COMMAND_TIMEOUT_MS);
    await redis.quit().catch(() => undefined);
    clearTimeout(patience);
  }
  redis.disconnect();
}
