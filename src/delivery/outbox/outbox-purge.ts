import { Injectable } from '@nestjs/common';
import { OutboxRepository } from './outbox.repository.js';
import { PeriodicJob } from '../periodic/periodic-job.js';

const KEEP_DONE_DAYS = 7;
/** Dead letters are kept longer, so that operators can look at them. */
const KEEP_DEAD_DAYS = 30;
const BATCH = 5_000;

/** Removes jobs a week after they were done. */
@Injectable()
export class OutboxPurge extends PeriodicJob {
  override readonly name = 'outbox-purge';
  override readonly everySeconds = 3_600;

  constructor(private readonly repository: OutboxRepository) {
    super();
  }

  override async run(): Promise<void> {
    while ((await this.repository.purge(KEEP_DONE_DAYS, KEEP_DEAD_DAYS, BATCH)) === BATCH);
  }
}
