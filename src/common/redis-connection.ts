import { Redis, type RedisOptions } from 'ioredis';

/** A command that Redis does not answer within this time has failed (milliseconds). */
export const REDIS_COMMAND_TIMEOUT = 500;

/** Between two attempts to connect: while Redis hangs, that is one probe a second. */
const LONGEST_PAUSE_MS = 1_000;

/**
 * A connection that never makes requests wait: while Redis is away commands fail at once. A connection that leaves a
 * command unanswered for {@link REDIS_COMMAND_TIMEOUT} is closed and replaced: whether Redis hangs or only the line is
 * dead in one direction, what comes after the first silence does not wait. A new connection counts as open only when
 * Redis has answered on it, and trying goes on forever in the background. The owner handles `error`
 * events only if it wants to (they are the connection's own reports, already swallowed here) and closes it.
 */
export function openRedis(url: string, options: RedisOptions = {}): Redis {
  const redis = new Redis(url, {
    connectTimeout: 2_000,
    commandTimeout: REDIS_COMMAND_TIMEOUT,
    socketTimeout: REDIS_COMMAND_TIMEOUT,
    enableOfflineQueue: false,
    disableClientInfo: true,
    maxRetriesPerRequest: 0,
    retryStrategy: (times) => Math.min(50 * 2 ** Math.min(times, 6), LONGEST_PAUSE_MS),
    ...options,
  });
  // Without a listener ioredis prints every failed reconnect; callers notice through their own commands.
  redis.on('error', () => undefined);
  return redis;
}

/** Ends the connection after what was sent on it; at once when Redis does not answer. */
export async function closeRedis(redis: Redis): Promise<void> {
  if (redis.status === 'ready') {
    const patience = setTimeout(() => redis.disconnect(), REDIS_COMMAND_TIMEOUT);
    await redis.quit().catch(() => undefined);
    clearTimeout(patience);
  }
  redis.disconnect();
}
