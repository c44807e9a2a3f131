/** A limit within the places of a process: that of a tenant, or of an app within it. */
export interface Share {
  readonly of: string;
  readonly most: number;
}

/** Alternative sets of shares that a place can count against. A caller needs room in only one of them. */
export type Ways = readonly (readonly Share[])[];

interface Waiting {
  readonly ways: Ways;
  readonly go: (leave: () => void) => void;
}

/**
 * Limits how much of something a process does concurrently. Taking a place also counts against each of the caller's
 * shares (its app, its tenant), so no app can fill its tenant's places and no tenant those of the process.
 */
export class Places {
  private taken = 0;
  private readonly takenOf = new Map<string, number>();
  /** Keyed by the first share of each way, in the order of their turns. */
  private readonly waiting = new Map<string, Waiting[]>();

  constructor(private readonly most: number) {}

  /** @returns a function that gives the place back; further calls do nothing. Null: no place is free */
  take(shares: readonly Share[] = []): (() => void) | null {
    return this.takeAny([shares]);
  }

  /** Uses the way that has room; of several, the one with the fewest places taken. @returns as {@link take} */
  takeAny(ways: Ways): (() => void) | null {
    if (this.taken >= this.most) return null;
    const open = ways.filter((shares) => shares.every(({ of, most }) => this.takenBy(of) < most));
    const [first, ...others] = open.map((shares) => ({ shares, taken: shares.map(({ of }) => this.takenBy(of)) }));
    if (!first) return null;
    return this.hold(others.reduce((best, each) => (sum(each.taken) < sum(best.taken) ? each : best), first).shares);
  }

  /**
   * As {@link take}, but waits for a free place. Waiting callers take turns by their first share, so one with many
   * waiting callers does not delay the others.
   * @throws the reason of the signal, which removes the caller from the queue
   */
  async wait(shares: readonly Share[] = [], signal?: AbortSignal): Promise<() => void> {
    return this.waitForAny([shares], signal);
  }

  /** As {@link wait}, until one of the ways has room. */
  async waitForAny(ways: Ways, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    return this.takeAny(ways) ?? this.queue(ways, signal);
  }

  private queue(ways: Ways, signal?: AbortSignal): Promise<() => void> {
    const key = ways.map(([first]) => first?.of ?? '').join('|');
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        this.setWaiting(
          key,
          (this.waiting.get(key) ?? []).filter((each) => each !== mine),
        );
        reject(signal!.reason as Error);
      };
      const go = (leave: () => void) => {
        signal?.removeEventListener('abort', giveUp);
        resolve(leave);
      };
      const mine = { ways, go };
      signal?.addEventListener('abort', giveUp, { once: true });
      this.setWaiting(key, [...(this.waiting.get(key) ?? []), mine]);
    });
  }

  private hold(shares: readonly Share[]): () => void {
    const count = (by: 1 | -1) => {
      this.taken += by;
      for (const { of } of shares) {
        const now = this.takenBy(of) + by;
        if (now > 0) this.takenOf.set(of, now);
        else this.takenOf.delete(of);
      }
    };
    count(1);
    let isGiven = false;
    return () => {
      if (isGiven) return;
      isGiven = true;
      count(-1);
      this.goOn();
    };
  }

  /** Starts the next caller that has room, and moves its share to the end of the queue. */
  private goOn(): void {
    for (const [key, [first, ...others]] of this.waiting) {
      const leave = this.takeAny(first!.ways);
      if (!leave) continue;
      this.waiting.delete(key);
      this.setWaiting(key, others);
      return first!.go(leave);
    }
  }

  private takenBy(share: string): number {
    return this.takenOf.get(share) ?? 0;
  }

  private setWaiting(key: string, those: Waiting[]): void {
    if (those.length > 0) this.waiting.set(key, those);
    else this.waiting.delete(key);
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
