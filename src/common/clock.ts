/**
 * The time, handed in so that tests can move it. In the service it is the database's time: see `ClockSkew`. Expiries that a
 * statement can decide are decided by the statement.
 */
export abstract class Clock {
  abstract now(): Date;

  /** Unix time in whole seconds. */
  seconds(): number {
    return Math.floor(this.now().getTime() / 1000);
  }
}
