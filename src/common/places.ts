/** A part of the places of which only so many are taken at a time: that of a tenant, or of an app within it. */
export interface Share {
  readonly of: string;
  readonly most: number;
}

interface Waiting {
  readonly shares: readonly Share[];
  readonly go: (leave: () => void) => void;
}

/**
 * Limits how much of something a process does at a time. Taking a place also counts against each of the caller's shares (its
 * app, its tenant), so no app fills its tenant's places and no tenant the process's.
 */
export class Places {
  private taken = 0;
  private readonly takenOf = new Map<string, number>();
  /** By the first share, in the order of their turns. */
  private readonly waiting = new Map<string, Waiting[]>();

  constructor(private readonly most: number) {}

  /** @returns gives the place back; calling it twice does nothing more. Null: there is none */
  take(shares: readonly Share[] = []): (() => void) | null {
    const hasRoom = shares.every(({ of, most }) => (this.takenOf.get(of) ?? 0) < most);
    return hasRoom && this.taken < this.most ? this.hold(shares) : null;
  }

  /**
   * As {@link take}, but waits until there is one. Waiting callers take turns by their first share: one with many waiting
   * callers keeps no other from its next place.
   * @throws the reason of the signal, which takes the caller out of the queue
   */
  async wait(shares: readonly Share[] = [], signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    return this.take(shares) ?? this.queue(shares, signal);
  }

  private queue(shares: readonly Share[], signal?: AbortSignal): Promise<() => void> {
    const key = shares[0]?.of ?? '';
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
      const mine = { shares, go };
      signal?.addEventListener('abort', giveUp, { once: true });
      this.setWaiting(key, [...(this.waiting.get(key) ?? []), mine]);
    });
  }

  private hold(shares: readonly Share[]): () => void {
    const count = (by: 1 | -1) => {
      this.taken += by;
      for (const { of } of shares) {
        const now = (this.takenOf.get(of) ?? 0) + by;
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
      const leave = this.take(first!.shares);
      if (!leave) continue;
      this.waiting.delete(key);
      this.setWaiting(key, others);
      return first!.go(leave);
    }
  }

  private setWaiting(key: string, those: Waiting[]): void {
    if (those.length > 0) this.waiting.set(key, those);
    else this.waiting.delete(key);
  }
}
