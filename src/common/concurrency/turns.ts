import { setTimeout as sleep } from 'node:timers/promises';
import { Places, type Ways } from './places.js';

/** Pieces that are done at full speed. */
const FAST_PIECES = 20;
/** A long work then rests three times as long as a piece took: it never has more than a quarter of a processor. */
const REST = 3;
const LONGEST_REST_MS = 1_000;

export interface TurnsOptions {
  readonly rest?: (ms: number) => Promise<unknown>;
}

/** For whom a piece is done, and for how long it waits. */
export interface Turn {
  /** Any of them will do. */
  readonly ways?: Ways;
  /** A caller that gives up leaves the queue. Work that has begun is finished. */
  readonly signal?: AbortSignal;
}

/** Work of which only so many pieces are done at a time: the others wait. */
export class Turns {
  private readonly places: Places;
  private readonly rest: (ms: number) => Promise<unknown>;

  constructor(most: number, { rest = sleep }: TurnsOptions = {}) {
    this.places = new Places(most);
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
  async take<T>(work: () => Promise<T>, { ways = [[]], signal }: Turn = {}): Promise<T> {
    const leave = await this.places.waitForAny(ways, signal);
    try {
      return await work();
    } finally {
      leave();
    }
  }
}
