interface Waiting<In, Out> {
  readonly input: In;
  /** Milliseconds of the process's own clock. */
  readonly since: number;
  readonly resolve: (output: Out) => void;
  readonly reject: (error: unknown) => void;
}

interface BatchLimits {
  /** Most inputs in a batch. */
  readonly size: number;
  /** Most batches under way. */
  readonly parallel: number;
  /**
   * When a batch fails, what has waited this long fails with it: behind a database that does not answer, nothing waits for the time
   * limit of the batch before it and then for its own. Default: without end.
   */
  readonly longestWaitMs?: number;
  /** From the beginning of one batch to that of the next; default 0. */
  readonly gapMs?: number;
}

/** A gap that is felt by no one, and in which a busy service gets several requests: see docs/decisions/0010. */
export const SHORT_GAP_MS = 2;

/**
 * Items that arrive in the same turn of the event loop, while a batch is running, or sooner after the beginning of a batch than
 * `gapMs`, go together. The first after a pause waits for nothing.
 */
export class MicroBatch<In, Out> {
  private readonly waiting: Waiting<In, Out>[] = [];
  private underWay = 0;
  private isDue = false;
  private lastBegunAt = -Infinity;

  /** @param work answers for each input at the same index */
  constructor(
    private readonly work: (inputs: readonly In[]) => Promise<readonly Out[]>,
    private readonly limits: BatchLimits,
  ) {}

  run(input: In): Promise<Out> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ input, since: performance.now(), resolve, reject });
      this.startSoon();
    });
  }

  /** Once this turn of the event loop has brought all that it has: answers of Redis and requests come several at a time. */
  private startSoon(): void {
    if (this.isDue) return;
    this.isDue = true;
    const begin = () => {
      this.isDue = false;
      this.start();
    };
    const early = (this.limits.gapMs ?? 0) - (performance.now() - this.lastBegunAt);
    if (early > 0) setTimeout(begin, early);
    else setImmediate(begin);
  }

  private start(): void {
    while (this.underWay < this.limits.parallel && this.waiting.length > 0) {
      const batch = this.waiting.splice(0, this.limits.size);
      this.lastBegunAt = performance.now();
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
      this.underWay--;
      this.start();
    }
  }

  /** They wait in the order in which they came. */
  private takeOverdue(): Waiting<In, Out>[] {
    const latest = performance.now() - (this.limits.longestWaitMs ?? Infinity);
    const inTime = this.waiting.findIndex(({ since }) => since > latest);
    return this.waiting.splice(0, inTime < 0 ? this.waiting.length : inTime);
  }
}
