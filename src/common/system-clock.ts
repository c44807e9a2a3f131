import { Injectable } from '@nestjs/common';
import { Clock } from './clock.js';

/** The machine's clock, corrected to that of the database where they differ. */
@Injectable()
export class SystemClock extends Clock {
  private correctionMs = 0;

  override now(): Date {
    return new Date(Date.now() + this.correctionMs);
  }

  /** @param milliseconds that are added to the machine's clock from now on */
  correct(milliseconds: number): void {
    this.correctionMs = milliseconds;
  }
}
