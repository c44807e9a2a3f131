import type { Redis } from 'ioredis';
import type { Clock } from '../../common/clock.js';
import { type CounterKey, findableParts } from './counter-keys.rules.js';
import type { RateLimitLabel } from './rate-limit.rules.js';

const PREFIX = 'rate-of:';
/** Of one user, client or network: the newest. */
const MOST_OF_ONE = 200;
/** In this process's memory, over all. */
const MOST_IN_MEMORY = 10_000;
const KEPT_SECONDS = 3_600;

/**
 * Which counters of two parts (a client or a user, and a network address) have a window open. Counters can only be
 * asked for by name, so each leaves its name under its `findableParts` when its window opens: once a window, not at every
 * hit. Operators list and clear by it; nothing is decided by it, and Redis may lose it.
 */
export class CompositeCounters {
  /** `part label key`, with the moment at which the window ends. */
  private readonly memory = new Map<string, number>();

  constructor(
    private readonly redis: Redis | null,
    private readonly clock: Clock,
  ) {}

  note({ label, key }: CounterKey, secondsLeft: number): void {
    const endsAt = this.clock.now().getTime() + secondsLeft * 1_000;
    for (const part of findableParts(key)) {
      if (this.redis?.status === 'ready') this.share(this.redis, part, `${label} ${key}`, endsAt, secondsLeft);
      else this.keep(`${part} ${label} ${key}`, endsAt);
    }
  }

  /** Those whose window may still be open. @param part a canonical e-mail address, a client id, a network's key, a `userKey` */
  async list(part: string): Promise<CounterKey[]> {
    const now = this.clock.now().getTime();
    const own = [...this.memory].filter(([name, endsAt]) => endsAt > now && name.startsWith(`${part} `));
    const names = [...(await this.shared(part, now)), ...own.map(([name]) => name.slice(part.length + 1))];
    return [...new Set(names)].map(read);
  }

  private share(redis: Redis, part: string, name: string, endsAt: number, secondsLeft: number): void {
    const set = PREFIX + part;
    redis
      .multi()
      .zadd(set, endsAt, name)
      .zremrangebyscore(set, 0, this.clock.now().getTime())
      .zremrangebyrank(set, 0, -MOST_OF_ONE - 1)
      .expire(set, Math.max(secondsLeft, KEPT_SECONDS))
      .exec()
      .catch(() => undefined);
  }

  private keep(name: string, endsAt: number): void {
    this.memory.delete(name);
    this.memory.set(name, endsAt);
    if (this.memory.size > MOST_IN_MEMORY) this.memory.delete(this.memory.keys().next().value!);
  }

  private async shared(part: string, now: number): Promise<string[]> {
    if (this.redis?.status !== 'ready') return [];
    return this.redis.zrangebyscore(PREFIX + part, now, '+inf').catch(() => []);
  }
}

function read(name: string): CounterKey {
  const at = name.indexOf(' ');
  return { label: name.slice(0, at) as RateLimitLabel, key: name.slice(at + 1) };
}
