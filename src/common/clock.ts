/**
 * The current time, injected so that tests can change it. In the service it is the database's time: see `ClockSkew`. A
 * statement that can decide an expiry itself does so.
 */
export abstract class Clock {
  abstract now(): Date;

  /** Unix time in whole seconds. */
  seconds(): number {
    return Math.floor(this.now().getTime() / 1000);
  }
}
