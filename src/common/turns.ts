import { setTimeout as sleep } from 'node:timers/promises';

/** Pieces that are done at full speed. */
const FAST_PIECES = 20;
/** A long work then rests three times as long as a piece took: it never has more than a quarter of a processor. */
const REST = 3;
const LONGEST_REST_MS = 1_000;

/** Work of which only so many pieces are done at a time: the others wait, first come first served. */
export class Turns {
  private busy = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly most: number,
    private readonly rest: (ms: number) => Promise<unknown> = sleep,
  ) {}

  /** Takes a turn for each piece, and none while the reader has it. */
  async *each<T>(pieces: AsyncGenerator<T>): AsyncGenerator<T> {
    try {
      for (let count = 1; ; count++) {
        const piece = await this.take(() => (count > FAST_PIECES ? this.slowly(() => pieces.next()) : pieces.next()));
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

  /** Takes a turn for one piece of work. */
  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.busy < this.most) this.busy++;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.busy--;
    }
  }
}
