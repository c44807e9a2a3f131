import type { Redis } from 'ioredis';
import type { Clock } from '../../common/clock.js';

export interface SpentCounter {
  readonly label: string;
  readonly key: string;
}

const SET = 'rate-spent';
/** An attack from many addresses spends many; the newest windows are enough to see it by. */
const MOST = 500;

/**
 * Which counters have been used up and let nothing through. Counters themselves can only be asked for by name, so each
 * one leaves its name here when its last hit passes: once a window, not at every refusal. A hint for operators, of which
 * Redis may lose some; nothing is decided by it.
 */
export class SpentCounters {
  /** By name, with the moment at which the window ends. */
  private readonly memory = new Map<string, number>();

  constructor(
    private readonly redis: Redis | null,
    private readonly clock: Clock,
  ) {}

  note(counter: SpentCounter, secondsLeft: number): void {
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
    this.memory.delete(name);
    this.memory.set(name, endsAt);
    if (this.memory.size > MOST) this.memory.delete(this.memory.keys().next().value!);
  }

  /** Those whose window may still be open, the longest first; at most `limit`. */
  async list(limit: number): Promise<SpentCounter[]> {
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

function write({ label, key }: SpentCounter): string {
  return `${label} ${key}`;
}

/** Labels hold no blanks; keys may. */
function read(name: string): SpentCounter {
  const at = name.indexOf(' ');
  return { label: name.slice(0, at), key: name.slice(at + 1) };
}
