import { Process, Processor } from '@nestjs/bull';
import type { Job } from 'bull';
import { ANNOUNCEMENT } from '../../delivery/bull-connections.js';
import { OutboxJobs } from '../../delivery/outbox-jobs.js';
import { QueueProcessor } from '../../delivery/queue-processor.js';

const CONCURRENCY = 5;

/** Consumes the queue `push`: each job wakes the queue of one app, where its deliveries run. */
@Processor('push')
export class PushProcessor extends QueueProcessor {
  constructor(jobs: OutboxJobs) {
    super(jobs, 'push', CONCURRENCY);
  }

  @Process({ name: ANNOUNCEMENT, concurrency: CONCURRENCY })
  override process(job: Pick<Job, 'id'>): Promise<void> {
    return super.process(job);
  }
}
