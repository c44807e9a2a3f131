import { Process, Processor } from '@nestjs/bull';
import type { Job } from 'bull';
import { ANNOUNCEMENT } from '../../delivery/bull-connections.js';
import { OutboxJobs } from '../../delivery/outbox-jobs.js';
import { QueueProcessor } from '../../delivery/queue-processor.js';

const CONCURRENCY = 5;

/** Consumes the queue `webhooks`: each job wakes the queue of one app, where its messages are sent. */
@Processor('webhooks')
export class WebhooksProcessor extends QueueProcessor {
  constructor(jobs: OutboxJobs) {
    super(jobs, 'webhooks', CONCURRENCY);
  }

  @Process({ name: ANNOUNCEMENT, concurrency: CONCURRENCY })
  override process(job: Pick<Job, 'id'>): Promise<void> {
    return super.process(job);
  }
}
