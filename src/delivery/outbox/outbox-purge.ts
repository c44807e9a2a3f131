import { Injectable } from '@nestjs/common';
import { OutboxRepository } from './outbox.repository.js';
import { PurgeJob } from '../periodic/purge-job.js';

const DONE_KEPT = '7 days';
/** Dead letters are kept longer, so that operators can look at them. */
const DEAD_KEPT = '30 days';

/** Removes jobs a week after they were done. */
@Injectable()
export class OutboxPurge extends PurgeJob {
  override readonly name = 'outbox-purge';

  constructor(private readonly repository: OutboxRepository) {
    super();
  }

  protected override purges() {
    return [() => this.repository.purge('done_at', DONE_KEPT), () => this.repository.purge('dead_at', DEAD_KEPT)];
  }
}
