interface Key {
  running: number;
  readonly waiting: (() => void)[];
}

/**
 * Limits how much work of one key runs concurrently in this process; further work waits in order. Other keys are not
 * affected.
 */
export class KeyedSemaphore {
  private readonly keys = new Map<string, Key>();

  /**
   * @param max number of running tasks of a key
   * @param maxWaiting number of waiting tasks of a key
   */
  constructor(
    private readonly max: number,
    private readonly maxWaiting: number,
  ) {}

  /** @returns a function that releases the permit; null if too many wait */
  async acquire(name: string): Promise<(() => void) | null> {
    const key = this.keys.get(name) ?? { running: 0, waiting: [] };
    this.keys.set(name, key);
    if (key.running < this.max) key.running++;
    else if (key.waiting.length >= this.maxWaiting) return null;
    else await new Promise<void>((resolve) => key.waiting.push(resolve));
    return () => this.release(name, key);
  }

  /** Passes the permit to the next waiting task. */
  private release(name: string, key: Key): void {
    const next = key.waiting.shift();
    if (next) return next();
    key.running--;
    if (key.running === 0) this.keys.delete(name);
  }
}
