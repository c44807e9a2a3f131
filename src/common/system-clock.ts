import { Injectable } from '@nestjs/common';
import { Clock } from './clock.js';

/**
 * The database's time, counted on from its last reading by the monotonic clock: when the machine's clock is set,
 * nothing here jumps. Until the first reading it is the machine's time.
 */
@Injectable()
export class SystemClock extends Clock {
  private reading = { unixMs: Date.now(), atMs: performance.now() };

  override now(): Date {
    return new Date(this.reading.unixMs + performance.now() - this.reading.atMs);
  }

  /** @param unixMs the time at a moment @param atMs that moment, in milliseconds of `performance.now()` */
  set(unixMs: number, atMs: number): void {
    this.reading = { unixMs, atMs };
  }
}
