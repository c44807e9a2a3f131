/** A part of the places of which only so many are taken at a time: that of a tenant, or of an app within it. */
export interface Share {
  readonly of: string;
  readonly most: number;
}

/** Ways to have a place, each with the shares that it counts against: a caller needs only one of them. */
export type Ways = readonly (readonly Share[])[];

interface Waiting {
  readonly ways: Ways;
  readonly go: (leave: () => void) => void;
}

/**
 * Limits how much of something a process does at a time. Taking a place also counts against each of the caller's shares (its
 * app, its tenant), so no app fills its tenant's places and no tenant the process's.
 */
export class Places {
  private taken = 0;
  private readonly takenOf = new Map<string, number>();
  /** By the first share of each way, in the order of their turns. */
  private readonly waiting = new Map<string, Waiting[]>();

  constructor(private readonly most: number) {}

  /** @returns gives the place back; calling it twice does nothing more. Null: there is none */
  take(shares: readonly Share[] = []): (() => void) | null {
    return this.takeAny([shares]);
  }

  /** By the way that has room, and of several the one of which the fewest places are taken. @returns as {@link take} */
  takeAny(ways: Ways): (() => void) | null {
    if (this.taken >= this.most) return null;
    const open = ways.filter((shares) => shares.every(({ of, most }) => this.takenBy(of) < most));
    const [first, ...others] = open.map((shares) => ({ shares, taken: shares.map(({ of }) => this.takenBy(of)) }));
    if (!first) return null;
    return this.hold(others.reduce((best, each) => (sum(each.taken) < sum(best.taken) ? each : best), first).shares);
  }

  /**
   * As {@link take}, but waits until there is one. Waiting callers take turns by their first share: one with many waiting
   * callers keeps no other from its next place.
   * @throws the reason of the signal, which takes the caller out of the queue
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

  /** The next that may begin; what else its share has waiting comes after the others. */
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
