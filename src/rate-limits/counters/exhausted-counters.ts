import type { Redis } from 'ioredis';
import { BoundedMap } from '../../common/bounded-map.js';
import type { Clock } from '../../common/clock.js';

export interface ExhaustedCounter {
  readonly label: string;
  readonly key: string;
}

const SET = 'rate-spent';
/** An attack from many addresses fills many counters; the newest are sufficient to see it. */
const MOST = 500;

/**
 * The counters that have reached their limit. Counters can only be read by name, so each stores its name here when its
 * last hit passes: once per window, not with every refusal. It is information for operators, of which Redis may lose
 * some, and decides nothing.
 */
export class ExhaustedCounters {
  /** By name, with the time at which the window ends. */
  private readonly memory = new BoundedMap<string, number>(MOST);

  constructor(
    private readonly redis: Redis | null,
    private readonly clock: Clock,
  ) {}

  note(counter: ExhaustedCounter, secondsLeft: number): void {
    const name = write(counter);
    const endsAt = this.clock.now().getTime() + secondsLeft * 1_000;
    if (this.redis?.status === 'ready') {
      this.redis
        .multi()
        .zadd(SET, endsAt, name)
        .zremrangebyscore(SET, 0, this.clock.now().getTime())
        .zremrangebyrank(SET, 0, -MOST - 1)
        .exec()
        .catch(() => undefined);
      return;
    }
    this.memory.set(name, endsAt);
  }

  /** Counters whose window may be open, the longest first; at most `limit`. */
  async list(limit: number): Promise<ExhaustedCounter[]> {
    const now = this.clock.now().getTime();
    for (const [name, endsAt] of this.memory) if (endsAt <= now) this.memory.delete(name);
    const shared = await this.shared(now, limit);
    const own = [...this.memory].sort(([, a], [, b]) => b - a).map(([name]) => name);
    return [...new Set([...shared, ...own])].slice(0, limit).map(read);
  }

  private async shared(now: number, limit: number): Promise<string[]> {
    if (this.redis?.status !== 'ready') return [];
    return this.redis.zrevrangebyscore(SET, '+inf', now, 'LIMIT', 0, limit).catch(() => []);
  }
}

function write({ label, key }: ExhaustedCounter): string {
  return `${label} ${key}`;
}

/** Labels contain no blanks; keys may. */
function read(name: string): ExhaustedCounter {
  const at = name.indexOf(' ');
  return { label: name.slice(0, at), key: name.slice(at + 1) };
}
