import { setTimeout as sleep } from 'node:timers/promises';

const BETWEEN_MS = 50;
const ANSWER_MS = 10_000;

/** What a path answered again and again. */
export class Watch {
  readonly statuses = new Map<number | 'no answer', number>();
  slowestMs = 0;
  private isOver = false;
  private loop: Promise<void>;

  private constructor(private readonly url: string) {}

  /** Asks from here on, one request after the other. */
  static of(url: string): Watch {
    const watch = new Watch(url);
    watch.loop = watch.ask();
    return watch;
  }

  /** @returns the statuses that came */
  async end(): Promise<(number | 'no answer')[]> {
    this.isOver = true;
    await this.loop;
    return [...this.statuses.keys()].sort();
  }

  private async ask(): Promise<void> {
    while (!this.isOver) {
      const begun = performance.now();
      const status = await fetch(this.url, { signal: AbortSignal.timeout(ANSWER_MS) }).then(
        (answer) => answer.status,
        () => 'no answer' as const,
      );
      this.slowestMs = Math.max(this.slowestMs, performance.now() - begun);
      this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
      await sleep(BETWEEN_MS);
    }
  }
}
