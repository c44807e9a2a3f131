import type { Redis } from 'ioredis';
import { BoundedMap } from '../../common/bounded-map.js';
import type { Clock } from '../../common/clock.js';
import { type CounterKey, findableParts } from './counter-keys.rules.js';
import type { RateLimitLabel } from './rate-limit.rules.js';

const PREFIX = 'rate-of:';
/** Maximum number of names for one user, client or network; the newest are kept. */
const MAX_NAMES = 200;
/** Maximum number of names in this process's memory. */
const MAX_NAMES_IN_MEMORY = 10_000;
const KEPT_SECONDS = 3_600;

/**
 * The counters with two parts (a client or a user, and a network address) that have an open window. Counters can only
 * be read by name, so each stores its name under its `findableParts` when its window opens: once per window, not with
 * every hit. Operators list and clear counters with it. It decides nothing, and Redis may lose it.
 */
export class CompositeCounters {
  /** `part label key`, with the time at which the window ends. */
  private readonly memory = new BoundedMap<string, number>(MAX_NAMES_IN_MEMORY);

  constructor(
    private readonly redis: Redis | null,
    private readonly clock: Clock,
  ) {}

  note({ label, key }: CounterKey, secondsLeft: number): void {
    const endsAt = this.clock.now().getTime() + secondsLeft * 1_000;
    for (const part of findableParts(key)) {
      if (this.redis?.status === 'ready') this.share(this.redis, part, `${label} ${key}`, endsAt, secondsLeft);
      else this.memory.set(`${part} ${label} ${key}`, endsAt);
    }
  }

  /**
   * Counters whose window may be open.
   * @param part a canonical e-mail address, a client id, a network's key, or a `userKey`
   */
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
      .zremrangebyrank(set, 0, -MAX_NAMES - 1)
      .expire(set, Math.max(secondsLeft, KEPT_SECONDS))
      .exec()
      .catch(() => undefined);
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
