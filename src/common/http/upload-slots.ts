import { ServiceUnavailable } from './http.refusals.js';

/** How many uploads may be under way: what they hold in memory is bounded, and one holder cannot take all places. */
export class UploadSlots {
  private readonly held = new Map<string, number>();
  private total = 0;

  constructor(
    private readonly atOnce: number,
    private readonly perHolder: number,
    private readonly refusal = () => new ServiceUnavailable('Too many uploads at once', 2),
  ) {}

  /** @returns gives the place back; calling it twice does nothing more. @throws ServiceUnavailable */
  take(holder: string): () => void {
    const own = this.held.get(holder) ?? 0;
    if (this.total >= this.atOnce || own >= this.perHolder) throw this.refusal();
    this.total++;
    this.held.set(holder, own + 1);
    let given = false;
    return () => {
      if (given) return;
      given = true;
      this.total--;
      const left = this.held.get(holder)! - 1;
      if (left === 0) this.held.delete(holder);
      else this.held.set(holder, left);
    };
  }
}
