/** Work of which only so many pieces are done at a time: the others wait, first come first served. */
export class Turns {
  private busy = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly most: number) {}

  /** Takes a turn for each piece, and none while the reader has it. */
  async *each<T>(pieces: AsyncGenerator<T>): AsyncGenerator<T> {
    try {
      for (;;) {
        const piece = await this.take(() => pieces.next());
        if (piece.done) return;
        yield piece.value;
      }
    } finally {
      await pieces.return(undefined);
    }
  }

  private async take<T>(work: () => Promise<T>): Promise<T> {
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
