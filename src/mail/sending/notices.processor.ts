import { Processor } from '@nestjs/bull';
import { OutboxJobs } from '../../delivery/worker/outbox-jobs.js';
import { QueueProcessor } from '../../delivery/worker/queue-processor.js';

/** Consumes the queue `notices`: mails that no one waits for, to all whom a change concerns or because an administrator did something. */
@Processor('notices')
export class NoticesProcessor extends QueueProcessor {
  constructor(jobs: OutboxJobs) {
    super(jobs, 'notices');
  }
}
