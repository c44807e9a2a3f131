import { Processor } from '@nestjs/bull';
import { OutboxJobs } from '../../../delivery/worker/outbox-jobs.js';
import { QueueProcessor } from '../../../delivery/worker/queue-processor.js';

/** Consumes the queue `webhooks`: each job wakes the queue of one app, where its messages are sent. */
@Processor('webhooks')
export class WebhooksProcessor extends QueueProcessor {
  constructor(jobs: OutboxJobs) {
    super(jobs, 'webhooks');
  }
}
