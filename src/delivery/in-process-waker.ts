import { Injectable } from '@nestjs/common';
import { JobExecutor } from './job-executor.js';
import { Waker } from './waker.js';

/** Without Redis: the process that writes a job also runs it. */
@Injectable()
export class InProcessWaker extends Waker {
  constructor(private readonly executor: JobExecutor) {
    super();
  }

  override announce(): void {
    void this.executor.drain();
  }

  override async sweep(): Promise<void> {
    await this.executor.drain();
  }
}
