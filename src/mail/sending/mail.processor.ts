import { Processor } from '@nestjs/bull';
import { OutboxJobs } from '../../delivery/worker/outbox-jobs.js';
import { QueueProcessor } from '../../delivery/worker/queue-processor.js';

/** Consumes the queue `mail`: mails, and the links that are created only when they are mailed. */
@Processor('mail')
export class MailProcessor extends QueueProcessor {
  constructor(jobs: OutboxJobs) {
    super(jobs, 'mail');
  }
}
