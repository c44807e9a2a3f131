import { Injectable } from '@nestjs/common';
import { Clock } from './clock.js';

/**
 * The database's time, extrapolated from its last reading with the monotonic clock, so that changes of the machine's
 * clock have no effect. Before the first reading it is the machine's time.
 */
@Injectable()
export class SystemClock extends Clock {
  private reading = { unixMs: Date.now(), atMs: performance.now() };

  override now(): Date {
    return new Date(this.reading.unixMs + performance.now() - this.reading.atMs);
  }

  /**
   * @param unixMs the time at a moment
   * @param atMs that moment, in milliseconds of `performance.now()`
   */
  set(unixMs: number, atMs: number): void {
    this.reading = { unixMs, atMs };
  }
}
