/** Work that can rest between rounds and continue later. It holds no lock and no connection while it rests. */
export class PausableWork {
  private isOver: () => boolean = () => false;
  private ended: Promise<true> | null = null;
  private goesOn: () => void = () => undefined;
  private rests: () => void = () => undefined;

  /** @param work calls `mayRest` between its parts, outside of transactions */
  constructor(private readonly work: (mayRest: () => Promise<void>) => Promise<void>) {}

  /**
   * Runs until the work ends, or rests because the round is over. @returns whether it has ended
   * @throws the error of the work
   */
  goOn(isOver: () => boolean): Promise<boolean> {
    this.isOver = isOver;
    const resting = new Promise<false>((resolve) => (this.rests = () => resolve(false)));
    this.goesOn();
    this.ended ??= this.work(() => this.rest()).then(() => true as const);
    return Promise.race([this.ended, resting]);
  }

  private rest(): Promise<void> {
    if (!this.isOver()) return Promise.resolve();
    return new Promise((resolve) => {
      this.goesOn = resolve;
      this.rests();
    });
  }
}
