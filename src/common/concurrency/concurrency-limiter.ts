import { setTimeout as sleep } from 'node:timers/promises';
import { type AlternativeLimits, Semaphore } from './semaphore.js';

/** Number of pieces that run at full speed. */
const FAST_PIECES = 20;
/** After that, the work rests three times as long as a piece took, so it uses at most a quarter of a core. */
const REST = 3;
const MAX_REST_MS = 1_000;

/** For long work that is limited by its permits only, without pauses. */
export const NO_REST = (): Promise<void> => Promise.resolve();

export interface LimiterOptions {
  /** After each piece of a long work; default: three times as long as the piece took. */
  readonly rest?: (ms: number) => Promise<unknown>;
}

/** The limits that a piece counts against, and the signal that ends its wait. */
export interface RunOptions {
  /** Room in any of them is enough. */
  readonly limits?: AlternativeLimits;
  /** Aborted when the caller gives up: it leaves the queue. Work that has begun is completed. */
  readonly signal?: AbortSignal;
}

/** Limits how many pieces of work run concurrently; the others wait. */
export class ConcurrencyLimiter {
  private readonly semaphore: Semaphore;
  private readonly rest: (ms: number) => Promise<unknown>;

  constructor(max: number, { rest = sleep }: LimiterOptions = {}) {
    this.semaphore = new Semaphore(max);
    this.rest = rest;
  }

  /**
   * Holds a permit while it produces a piece, and none while the caller processes it.
   * @throws the reason of the signal
   */
  async *each<T>(pieces: AsyncGenerator<T>, options?: RunOptions): AsyncGenerator<T> {
    try {
      for (let count = 1; ; count++) {
        const next = () => (count > FAST_PIECES ? this.slowly(() => pieces.next()) : pieces.next());
        const piece = await this.run(next, options);
        if (piece.done) return;
        yield piece.value;
      }
    } finally {
      await pieces.return(undefined);
    }
  }

  /** Keeps its permit while it rests, so that all long tasks together use no more than their permits. */
  private async slowly<T>(work: () => Promise<T>): Promise<T> {
    const begun = performance.now();
    const result = await work();
    await this.rest(Math.min(MAX_REST_MS, REST * (performance.now() - begun)));
    return result;
  }

  /** Waits for a permit, and holds it during the work. @throws the reason of the signal */
  async run<T>(work: () => Promise<T>, { limits = [[]], signal }: RunOptions = {}): Promise<T> {
    const release = await this.semaphore.acquireAny(limits, signal);
    try {
      return await work();
    } finally {
      release();
    }
  }
}
