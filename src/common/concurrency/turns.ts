import { setTimeout as sleep } from 'node:timers/promises';
import { Places, type Ways } from './places.js';

/** Number of pieces that run at full speed. */
const FAST_PIECES = 20;
/** After that, the work rests three times as long as a piece took, so it uses at most a quarter of a core. */
const REST = 3;
const LONGEST_REST_MS = 1_000;

export interface TurnsOptions {
  readonly rest?: (ms: number) => Promise<unknown>;
}

/** Whose limits a piece counts against, and when it stops waiting. */
export interface Turn {
  /** Room in any of them is enough. */
  readonly ways?: Ways;
  /** Aborted when the caller gives up: it leaves the queue. Work that has begun is completed. */
  readonly signal?: AbortSignal;
}

/** Limits how many pieces of work run concurrently; the others wait. */
export class Turns {
  private readonly places: Places;
  private readonly rest: (ms: number) => Promise<unknown>;

  constructor(most: number, { rest = sleep }: TurnsOptions = {}) {
    this.places = new Places(most);
    this.rest = rest;
  }

  /**
   * Takes a turn to produce each piece, and holds none while the caller processes it. @throws the reason of the signal
   */
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

  /** Keeps its turn while it rests, so that all long tasks together use no more than their turns. */
  private async slowly<T>(work: () => Promise<T>): Promise<T> {
    const begun = performance.now();
    const result = await work();
    await this.rest(Math.min(LONGEST_REST_MS, REST * (performance.now() - begun)));
    return result;
  }

  /** Takes a turn for one piece of work. @throws the reason of the signal */
  async take<T>(work: () => Promise<T>, { ways = [[]], signal }: Turn = {}): Promise<T> {
    const leave = await this.places.waitForAny(ways, signal);
    try {
      return await work();
    } finally {
      leave();
    }
  }
}
