import { Processor } from '@nestjs/bull';
import { OutboxJobs } from '../delivery/outbox-jobs.js';
import { QueueProcessor } from '../delivery/queue-processor.js';

/** Fewer than there are connections to the mail server: a mail that someone waits for always finds one. */
const CONCURRENCY = 2;

/** Consumes the queue `notices`: mails to all whom a change concerns. */
@Processor('notices')
export class NoticesProcessor extends QueueProcessor {
  constructor(jobs: OutboxJobs) {
    super(jobs, 'notices', CONCURRENCY);
  }
}
