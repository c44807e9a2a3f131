import { Injectable } from '@nestjs/common';
import { Waker } from './waker.js';

/** For short-lived commands: the rows are written, and the sweep of a running process finds them. */
@Injectable()
export class SilentWaker extends Waker {
  override announce(): void {
    // Nothing is held here that could run a job after the command has ended.
  }

  override sweep(): Promise<void> {
    return Promise.resolve();
  }
}
