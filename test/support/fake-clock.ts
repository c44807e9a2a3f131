import { Clock } from '../../src/common/clock.js';

/** Stands still, at the present by default, until it is moved. */
export class FakeClock extends Clock {
  constructor(private at = new Date()) {
    super();
  }

  override now(): Date {
    return new Date(this.at);
  }

  advance(seconds: number): void {
    this.at = new Date(this.at.getTime() + seconds * 1_000);
  }
}
