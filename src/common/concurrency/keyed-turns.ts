interface Key {
  running: number;
  readonly waiting: (() => void)[];
}

/**
 * Limits how much work of one key runs concurrently in this process; further work waits in order. Other keys are not
 * affected.
 */
export class KeyedTurns {
  private readonly keys = new Map<string, Key>();

  /**
   * @param atOnce maximum number of running tasks of a key
   * @param mostWaiting maximum number of waiting tasks of a key
   */
  constructor(
    private readonly atOnce: number,
    private readonly mostWaiting: number,
  ) {}

  /** @returns a function that ends the turn; null if too many wait */
  async take(name: string): Promise<(() => void) | null> {
    const key = this.keys.get(name) ?? { running: 0, waiting: [] };
    this.keys.set(name, key);
    if (key.running < this.atOnce) key.running++;
    else if (key.waiting.length >= this.mostWaiting) return null;
    else await new Promise<void>((resolve) => key.waiting.push(resolve));
    return () => this.leave(name, key);
  }

  /** Passes the turn to the next waiting task. */
  private leave(name: string, key: Key): void {
    const next = key.waiting.shift();
    if (next) return next();
    key.running--;
    if (key.running === 0) this.keys.delete(name);
  }
}
