import { Processor } from '@nestjs/bull';
import { OutboxJobs } from '../../delivery/worker/outbox-jobs.js';
import { QueueProcessor } from '../../delivery/worker/queue-processor.js';

/**
 * Consumes the queue `notices`: mails for which no user waits, to all users affected by a change, or caused by an
 * administrator.
 */
@Processor('notices')
export class NoticesProcessor extends QueueProcessor {
  constructor(jobs: OutboxJobs) {
    super(jobs, 'notices');
  }
}
