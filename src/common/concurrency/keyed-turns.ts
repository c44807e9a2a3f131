interface Key {
  running: number;
  readonly waiting: (() => void)[];
}

/** Limits how much work of one key runs at a time in this process; further work waits in order. Other keys are not affected. */
export class KeyedTurns {
  private readonly keys = new Map<string, Key>();

  /**
   * @param atOnce how many of a key run at a time
   * @param mostWaiting so many of a key wait
   */
  constructor(
    private readonly atOnce: number,
    private readonly mostWaiting: number,
  ) {}

  /** @returns ends the turn; null where too many wait */
  async take(name: string): Promise<(() => void) | null> {
    const key = this.keys.get(name) ?? { running: 0, waiting: [] };
    this.keys.set(name, key);
    if (key.running < this.atOnce) key.running++;
    else if (key.waiting.length >= this.mostWaiting) return null;
    else await new Promise<void>((resolve) => key.waiting.push(resolve));
    return () => this.leave(name, key);
  }

  /** The turn passes to the next one that waits. */
  private leave(name: string, key: Key): void {
    const next = key.waiting.shift();
    if (next) return next();
    key.running--;
    if (key.running === 0) this.keys.delete(name);
  }
}
