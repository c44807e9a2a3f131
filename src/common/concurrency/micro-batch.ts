import { ServiceUnavailable } from '../http/http.refusals.js';

interface Waiting<In, Out> {
  readonly input: In;
  /** In milliseconds of the process's monotonic clock. */
  readonly since: number;
  readonly resolve: (output: Out) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Combines items into a batch if they arrive in the same turn of the event loop, or while another batch is running. No
 * item waits longer for more items.
 */
export class MicroBatch<In, Out> {
  private readonly waiting: Waiting<In, Out>[] = [];
  private underWay = 0;
  private isDue = false;

  /**
   * @param work returns one output for each input, in the same order
   * @param size maximum number of inputs in a batch
   * @param parallel maximum number of concurrent batches
   * @param longestWaitMs items that have waited this long behind a batch fail. Otherwise, behind a database that is slow
   * or does not answer, items would wait for every batch before them, and be done for clients that left long ago and
   * sent them again
   */
  constructor(
    private readonly work: (inputs: readonly In[]) => Promise<readonly Out[]>,
    private readonly size: number,
    private readonly parallel: number,
    private readonly longestWaitMs = Infinity,
  ) {}

  run(input: In): Promise<Out> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ input, since: performance.now(), resolve, reject });
      this.startSoon();
    });
  }

  /** At the end of this turn of the event loop, because requests and answers of Redis arrive several at a time. */
  private startSoon(): void {
    if (this.isDue) return;
    this.isDue = true;
    setImmediate(() => {
      this.isDue = false;
      this.start();
    });
  }

  private start(): void {
    while (this.underWay < this.parallel && this.waiting.length > 0) {
      const batch = this.waiting.splice(0, this.size);
      this.underWay++;
      void this.finish(batch);
    }
  }

  private async finish(batch: readonly Waiting<In, Out>[]): Promise<void> {
    try {
      const outputs = await this.work(batch.map((each) => each.input));
      batch.forEach((each, index) => each.resolve(outputs[index]!));
    } catch (error) {
      for (const each of [...batch, ...this.takeOverdue()]) each.reject(error);
    } finally {
      for (const each of this.takeOverdue()) each.reject(new ServiceUnavailable('Too many requests at once', 1));
      this.underWay--;
      this.start();
    }
  }

  /** Items wait in the order in which they arrived. */
  private takeOverdue(): Waiting<In, Out>[] {
    const latest = performance.now() - this.longestWaitMs;
    const inTime = this.waiting.findIndex(({ since }) => since > latest);
    return this.waiting.splice(0, inTime < 0 ? this.waiting.length : inTime);
  }
}
