import { Process, Processor } from '@nestjs/bull';
import type { Job } from 'bull';
import { ANNOUNCEMENT } from '../delivery/bull-connections.js';
import { OutboxJobs } from '../delivery/outbox-jobs.js';
import { QueueProcessor } from '../delivery/queue-processor.js';

/** Mails sent at once by one process. */
const CONCURRENCY = 5;

/** Consumes the queue `mail`: mails, and the links that are made only when they are mailed. */
@Processor('mail')
export class MailProcessor extends QueueProcessor {
  constructor(jobs: OutboxJobs) {
    super(jobs, 'mail', CONCURRENCY);
  }

  @Process({ name: ANNOUNCEMENT, concurrency: CONCURRENCY })
  override process(job: Pick<Job, 'id'>): Promise<void> {
    return super.process(job);
  }
}
