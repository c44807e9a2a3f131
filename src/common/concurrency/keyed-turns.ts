interface Key {
  running: number;
  readonly waiting: (() => void)[];
}

/** Work of one key goes on few at a time in this process; what comes meanwhile waits in order. Other keys do not notice. */
export class KeyedTurns {
  private readonly keys = new Map<string, Key>();

  /**
   * @param atOnce so many of a key go on
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
