/** A limit within a semaphore, for all permits with the same key: of a tenant, or of an app within it. */
export interface KeyLimit {
  readonly key: string;
  readonly max: number;
}

/** Alternative sets of limits that a permit can count against. A caller needs room in only one set. */
export type AlternativeLimits = readonly (readonly KeyLimit[])[];

interface Waiting {
  readonly alternatives: AlternativeLimits;
  readonly start: (release: () => void) => void;
}

/**
 * Limits how much of something a process does concurrently. A permit also counts against each of the caller's limits
 * (its app, its tenant), so no app can use up its tenant's permits and no tenant those of the process.
 */
export class Semaphore {
  private held = 0;
  private readonly heldByKey = new Map<string, number>();
  /** By the first key of each set of limits, in the order of their turns. */
  private readonly waiting = new Map<string, Waiting[]>();

  constructor(private readonly max: number) {}

  /** @returns a function that releases the permit; further calls do nothing. Null: no permit is free */
  tryAcquire(limits: readonly KeyLimit[] = []): (() => void) | null {
    return this.tryAcquireAny([limits]);
  }

  /** Uses a set of limits that has room; of several, the one with the fewest permits. @returns as {@link tryAcquire} */
  tryAcquireAny(alternatives: AlternativeLimits): (() => void) | null {
    if (this.held >= this.max) return null;
    const open = alternatives.filter((limits) => limits.every(({ key, max }) => this.heldBy(key) < max));
    const [first, ...others] = open.map((limits) => ({ limits, held: limits.map(({ key }) => this.heldBy(key)) }));
    if (!first) return null;
    return this.hold(others.reduce((best, each) => (sum(each.held) < sum(best.held) ? each : best), first).limits);
  }

  /**
   * As {@link tryAcquire}, but waits for a permit. Waiting callers take turns by their first limit, so one with many
   * waiting callers does not delay the others.
   * @throws the reason of the signal, which removes the caller from the queue
   */
  async acquire(limits: readonly KeyLimit[] = [], signal?: AbortSignal): Promise<() => void> {
    return this.acquireAny([limits], signal);
  }

  /** As {@link acquire}, until one of the sets of limits has room. */
  async acquireAny(alternatives: AlternativeLimits, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    return this.tryAcquireAny(alternatives) ?? this.queue(alternatives, signal);
  }

  private queue(alternatives: AlternativeLimits, signal?: AbortSignal): Promise<() => void> {
    const key = alternatives.map(([first]) => first?.key ?? '').join('|');
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        this.setWaiting(
          key,
          (this.waiting.get(key) ?? []).filter((each) => each !== mine),
        );
        reject(signal!.reason as Error);
      };
      const start = (release: () => void) => {
        signal?.removeEventListener('abort', giveUp);
        resolve(release);
      };
      const mine = { alternatives, start };
      signal?.addEventListener('abort', giveUp, { once: true });
      this.setWaiting(key, [...(this.waiting.get(key) ?? []), mine]);
    });
  }

  private hold(limits: readonly KeyLimit[]): () => void {
    const count = (by: 1 | -1) => {
      this.held += by;
      for (const { key } of limits) {
        const now = this.heldBy(key) + by;
        if (now > 0) this.heldByKey.set(key, now);
        else this.heldByKey.delete(key);
      }
    };
    count(1);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      count(-1);
      this.startNext();
    };
  }

  /** Starts the next caller that has room, and moves the others with the same key to the end of the queue. */
  private startNext(): void {
    for (const [key, [first, ...others]] of this.waiting) {
      const release = this.tryAcquireAny(first!.alternatives);
      if (!release) continue;
      this.waiting.delete(key);
      this.setWaiting(key, others);
      return first!.start(release);
    }
  }

  private heldBy(key: string): number {
    return this.heldByKey.get(key) ?? 0;
  }

  private setWaiting(key: string, those: Waiting[]): void {
    if (those.length > 0) this.waiting.set(key, those);
    else this.waiting.delete(key);
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
