import { Refusal } from '../refusal.js';
import { ServiceUnavailable } from './http.refusals.js';

interface Waiting {
  readonly holder: string;
  readonly go: (giveBack: () => void) => void;
}

/** How many uploads may be under way: what they hold in memory is bounded, and one holder cannot take all places. */
export class UploadSlots {
  private readonly held = new Map<string, number>();
  private total = 0;
  /** First come, first served, as far as their holder has room. */
  private waiting: readonly Waiting[] = [];

  constructor(
    private readonly atOnce: number,
    private readonly perHolder: number,
    private readonly refusal = () => new ServiceUnavailable('Too many uploads at once', 2),
  ) {}

  /** @returns gives the place back; calling it twice does nothing more. @throws ServiceUnavailable */
  take(holder: string): () => void {
    if (!this.hasRoom(holder)) throw this.refusal();
    return this.hold(holder);
  }

  /** As {@link take}, but waits for a place until the signal ends it. @throws ServiceUnavailable, or the refusal of the signal */
  async wait(holder: string, signal: AbortSignal): Promise<() => void> {
    if (this.hasRoom(holder)) return this.hold(holder);
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.waiting = this.waiting.filter((each) => each !== mine);
        const reason: unknown = signal.reason;
        reject(reason instanceof Refusal ? reason : this.refusal());
      };
      const go = (giveBack: () => void) => {
        signal.removeEventListener('abort', leave);
        resolve(giveBack);
      };
      const mine = { holder, go };
      if (signal.aborted) return leave();
      signal.addEventListener('abort', leave, { once: true });
      this.waiting = [...this.waiting, mine];
    });
  }

  private hasRoom(holder: string): boolean {
    return this.total < this.atOnce && (this.held.get(holder) ?? 0) < this.perHolder;
  }

  private hold(holder: string): () => void {
    this.total++;
    this.held.set(holder, (this.held.get(holder) ?? 0) + 1);
    let given = false;
    return () => {
      if (given) return;
      given = true;
      this.total--;
      const left = this.held.get(holder)! - 1;
      if (left === 0) this.held.delete(holder);
      else this.held.set(holder, left);
      this.goOn();
    };
  }

  private goOn(): void {
    const next = this.waiting.find(({ holder }) => this.hasRoom(holder));
    if (!next) return;
    this.waiting = this.waiting.filter((each) => each !== next);
    next.go(this.hold(next.holder));
  }
}
