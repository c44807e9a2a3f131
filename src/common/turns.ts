import { setTimeout as sleep } from 'node:timers/promises';

/** Pieces that are done at full speed. */
const FAST_PIECES = 20;
/** A long work then rests three times as long as a piece took: it never has more than a quarter of a processor. */
const REST = 3;
const LONGEST_REST_MS = 1_000;

export interface TurnsOptions {
  /** Pieces of one holder that are done at a time. */
  readonly mostOfHolder?: number;
  readonly rest?: (ms: number) => Promise<unknown>;
}

/** For whom a piece is done, and for how long it waits. */
export interface Turn {
  /** Holders take turns: one that has many pieces waiting keeps no other from its next one. */
  readonly holder?: string;
  /** Who gives up leaves the queue. What has begun is done. */
  readonly signal?: AbortSignal;
}

/** Work of which only so many pieces are done at a time: the others wait. */
export class Turns {
  private busy = 0;
  private readonly mostOfHolder: number;
  private readonly rest: (ms: number) => Promise<unknown>;
  private readonly atWork = new Map<string, number>();
  /** Who waits, by holder, in the order of their turns. */
  private readonly waiting = new Map<string, (() => void)[]>();

  constructor(
    private readonly most: number,
    { mostOfHolder = most, rest = sleep }: TurnsOptions = {},
  ) {
    this.mostOfHolder = mostOfHolder;
    this.rest = rest;
  }

  /** Takes a turn for each piece, and none while the reader has it. @throws what the signal says */
  async *each<T>(pieces: AsyncGenerator<T>, turn?: Turn): AsyncGenerator<T> {
    try {
      for (let count = 1; ; count++) {
        const next = () => (count > FAST_PIECES ? this.slowly(() => pieces.next()) : pieces.next());
        const piece = await this.take(next, turn);
        if (piece.done) return;
        yield piece.value;
      }
    } finally {
      await pieces.return(undefined);
    }
  }

  /** It keeps its turn while it rests, so that all long works together have no more than their turns. */
  private async slowly<T>(work: () => Promise<T>): Promise<T> {
    const begun = performance.now();
    const result = await work();
    await this.rest(Math.min(LONGEST_REST_MS, REST * (performance.now() - begun)));
    return result;
  }

  /** Takes a turn for one piece of work. @throws what the signal says */
  async take<T>(work: () => Promise<T>, { holder = '', signal }: Turn = {}): Promise<T> {
    signal?.throwIfAborted();
    if (!this.begin(holder)) await this.wait(holder, signal);
    try {
      return await work();
    } finally {
      this.end(holder);
    }
  }

  private begin(holder: string): boolean {
    const own = this.atWork.get(holder) ?? 0;
    if (this.busy >= this.most || own >= this.mostOfHolder) return false;
    this.busy++;
    this.atWork.set(holder, own + 1);
    return true;
  }

  /** Resolves with the turn taken. */
  private wait(holder: string, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        const left = (this.waiting.get(holder) ?? []).filter((each) => each !== go);
        if (left.length > 0) this.waiting.set(holder, left);
        else this.waiting.delete(holder);
        reject(signal!.reason as Error);
      };
      const go = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      signal?.addEventListener('abort', leave, { once: true });
      this.waiting.set(holder, [...(this.waiting.get(holder) ?? []), go]);
    });
  }

  private end(holder: string): void {
    this.busy--;
    const own = this.atWork.get(holder)! - 1;
    if (own > 0) this.atWork.set(holder, own);
    else this.atWork.delete(holder);
    this.goOn();
  }

  /** The next holder that may begin; what else it has comes after the others. */
  private goOn(): void {
    for (const [holder, [first, ...others]] of this.waiting) {
      if (!this.begin(holder)) continue;
      this.waiting.delete(holder);
      if (others.length > 0) this.waiting.set(holder, others);
      return first!();
    }
  }
}
