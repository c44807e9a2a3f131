import { Injectable } from '@nestjs/common';
import { JobNotifier } from './job-notifier.js';

/** For short-lived commands: the rows are written, and the sweep of a running process finds them. */
@Injectable()
export class NoopNotifier extends JobNotifier {
  override announce(): void {
    // Nothing could run a job after the command has ended.
  }

  override sweep(): Promise<void> {
    return Promise.resolve();
  }
}
