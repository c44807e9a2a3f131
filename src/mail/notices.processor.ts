import { Processor } from '@nestjs/bull';
import { OutboxJobs } from '../delivery/outbox-jobs.js';
import { QueueProcessor } from '../delivery/queue-processor.js';

/** Consumes the queue `notices`: mails that no one waits for, to all whom a change concerns or because an administrator did something. */
@Processor('notices')
export class NoticesProcessor extends QueueProcessor {
  constructor(jobs: OutboxJobs) {
    super(jobs, 'notices');
  }
}
