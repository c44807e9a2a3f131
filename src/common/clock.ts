/** The wall clock, handed in so that tests can move it. Stored expiries are decided by the database's clock instead. */
export abstract class Clock {
  abstract now(): Date;

  /** Unix time in whole seconds. */
  seconds(): number {
    return Math.floor(this.now().getTime() / 1000);
  }
}
