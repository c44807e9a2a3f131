/** Retries that are due sooner have a timer here; the sweep finds the others. */
const MAX_TIMER_SECONDS = 60;

/** Timers that wake groups: one for all rows that are due within the same second. */
export class WakeTimers {
  private readonly timers = new Map<string, NodeJS.Timeout>();

  constructor(private readonly wake: (group: string) => void) {}

  set(group: string, seconds: number): void {
    if (seconds > MAX_TIMER_SECONDS) return;
    const at = Math.ceil(Date.now() / 1_000 + seconds);
    const key = `${group} ${at}`;
    if (this.timers.has(key)) return;
    const wake = (): void => {
      this.timers.delete(key);
      this.wake(group);
    };
    this.timers.set(key, setTimeout(wake, at * 1_000 - Date.now()).unref());
  }

  clear(): void {
    for (const timer of this.timers.values()) clearTimeout(timer);
    this.timers.clear();
  }
}
