import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { Clock } from '../../common/clock.js';
import { closeRedis, openRedis, REDIS_COMMAND_TIMEOUT_MS } from '../../common/redis-connection.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { CompositeCounters } from './composite-counters.js';
import { type CounterKey, partsOf } from './counter-keys.rules.js';
import type { RateLimitLabel, RateLimitRule } from './rate-limit.rules.js';
import { type ExhaustedCounter, ExhaustedCounters } from './exhausted-counters.js';
import { FallbackLimiter } from './fallback-limiter.js';
import { warnOfEviction } from './eviction-warning.js';

export interface Window {
  /** Hits in this window, including those beyond the limit. */
  readonly count: number;
  /** Seconds until the window ends, rounded up. */
  readonly secondsLeft: number;
  /** When the window ends, in milliseconds of `performance.now()`, never before it ends in the store. */
  readonly endsAt: number;
}

interface Limiter {
  readonly main: RateLimiterMemory | RateLimiterRedis;
  readonly memory: RateLimiterMemory;
}

/** The store counts whole milliseconds, by its own clock. */
const CLOCKS_DIFFER_MS = 5;

/**
 * Decrements the counter if its window has at most this time left, but not below zero. Atomic, so that concurrent calls
 * cannot go below zero.
 */
const TAKE_BACK = `if tonumber(redis.call('get', KEYS[1]) or '0') > 0
    and redis.call('pttl', KEYS[1]) <= tonumber(ARGV[1]) then redis.call('decr', KEYS[1]) end`;

/** Longer than a job is retried. */
const CLAIMED_SECONDS = 7 * 86_400;

/**
 * Counters by label and key, atomic over all processes in Redis. While Redis is unavailable, each process counts in its
 * own memory: less strict (once per process), but never without a limit. Without REDIS_URL, only memory is used.
 */
@Injectable()
export class RateLimitStore implements OnModuleInit, OnApplicationShutdown {
  private readonly redis: Redis | null;
  private readonly spentCounters: ExhaustedCounters;
  private readonly composites: CompositeCounters;
  /** By label and number of points: the same label has a higher limit for a wider key. */
  private readonly limiters = new Map<string, Limiter>();
  private readonly claims: Limiter;

  constructor(@Inject(SETTINGS) settings: Settings, clock: Clock) {
    this.redis = settings.redisUrl ? openRedis(settings.redisUrl, { enableAutoPipelining: true }) : null;
    if (this.redis) warnOfEviction(this.redis);
    this.spentCounters = new ExhaustedCounters(this.redis, clock);
    this.composites = new CompositeCounters(this.redis, clock);
    this.claims = this.newLimiter('rate-claim', { points: Number.MAX_SAFE_INTEGER, seconds: CLAIMED_SECONDS });
  }

  /** The first requests should use the shared counters, but the start does not wait if Redis is unavailable. */
  async onModuleInit(): Promise<void> {
    const { redis } = this;
    if (!redis || redis.status === 'ready') return;
    await new Promise<void>((resolve) => {
      const patience = setTimeout(resolve, REDIS_COMMAND_TIMEOUT_MS);
      for (const event of ['ready', 'close'] as const) {
        redis.once(event, () => {
          clearTimeout(patience);
          resolve();
        });
      }
    });
  }

  /** Counts a hit. Hits beyond the limit count as well, but do not prolong the window. */
  async hit(label: RateLimitLabel, rule: RateLimitRule, key: string): Promise<Window> {
    try {
      const window = windowOf(await this.limiter(label, rule).main.consume(key));
      if (window.count === 1 && partsOf(key).length > 1) this.composites.note({ label, key }, window.secondsLeft);
      if (window.count === rule.points) this.spentCounters.note({ label, key }, window.secondsLeft);
      return window;
    } catch (rejection) {
      // The library rejects with the counter if the limit is exceeded, and with an Error if it could not count.
      if (rejection instanceof RateLimiterRes) return windowOf(rejection);
      throw rejection;
    }
  }

  async shut(label: RateLimitLabel, rule: RateLimitRule, key: string, seconds: number): Promise<void> {
    await this.limiter(label, rule).main.block(key, seconds);
    this.spentCounters.note({ label, key }, seconds);
  }

  async set(label: RateLimitLabel, rule: RateLimitRule, key: string, count: number, seconds: number): Promise<void> {
    await this.limiter(label, rule).main.set(key, count, seconds);
  }

  /**
   * Takes back one hit. Does nothing in a later window than that of the hit, or at zero.
   * @param endsAt end of the hit's window; null: any window
   */
  async takeBack(label: RateLimitLabel, rule: RateLimitRule, key: string, endsAt: number | null): Promise<void> {
    const { main, memory } = this.limiter(label, rule);
    const msLeft = Math.ceil((endsAt ?? Number.MAX_SAFE_INTEGER) - performance.now()) + CLOCKS_DIFFER_MS;
    try {
      if (this.redis?.status !== 'ready') throw new Error('Redis is away');
      await this.redis.eval(TAKE_BACK, 1, main.getKey(key), msLeft);
    } catch {
      const found = await memory.get(key);
      if (!found || found.consumedPoints <= 0 || found.msBeforeNext > msLeft) return;
      // The window may have ended in the meantime: the library would begin another one below zero.
      if ((await memory.reward(key)).consumedPoints < 0) await memory.delete(key);
    }
  }

  /**
   * @param name of an action that is counted once, however often it is retried
   * @returns whether this is the first call
   */
  async claim(name: string): Promise<boolean> {
    return (await this.claims.main.consume(name)).consumedPoints === 1;
  }

  /** Allows it to be claimed again. */
  async release(name: string): Promise<void> {
    await forget(this.claims, name);
  }

  async look(label: RateLimitLabel, rule: RateLimitRule, key: string): Promise<Window | null> {
    const found = await this.limiter(label, rule).main.get(key);
    return found && windowOf(found);
  }

  /** Counters that reached their limit in a window that may still be open; at most `limit`. */
  listSpent(limit: number): Promise<ExhaustedCounter[]> {
    return this.spentCounters.list(limit);
  }

  /** See {@link CompositeCounters}. */
  listComposites(part: string): Promise<CounterKey[]> {
    return this.composites.list(part);
  }

  async forget(label: RateLimitLabel, rule: RateLimitRule, key: string): Promise<void> {
    await forget(this.limiter(label, rule), key);
  }

  async onApplicationShutdown(): Promise<void> {
    if (this.redis) await closeRedis(this.redis);
  }

  private limiter(label: RateLimitLabel, rule: RateLimitRule) {
    const name = `${label} ${rule.points}`;
    const known = this.limiters.get(name);
    if (known) return known;
    const made = this.newLimiter(`rate:${label}`, rule);
    this.limiters.set(name, made);
    return made;
  }

  private newLimiter(keyPrefix: string, { points, seconds }: Pick<RateLimitRule, 'points' | 'seconds'>): Limiter {
    const options = { keyPrefix, points, duration: seconds };
    if (!this.redis) {
      const only = new RateLimiterMemory(options);
      return { main: only, memory: only };
    }
    const memory = new FallbackLimiter(options);
    const main = new RateLimiterRedis({
      ...options,
      storeClient: this.redis,
      rejectIfRedisNotReady: true,
      insuranceLimiter: memory,
    });
    return { main, memory };
  }
}

async function forget({ main, memory }: Limiter, key: string): Promise<void> {
  await Promise.all([main.delete(key), memory.delete(key)]);
}

function windowOf(result: RateLimiterRes): Window {
  const { consumedPoints: count, msBeforeNext } = result;
  return {
    count,
    secondsLeft: Math.max(1, Math.ceil(msBeforeNext / 1_000)),
    endsAt: performance.now() + msBeforeNext,
  };
}
