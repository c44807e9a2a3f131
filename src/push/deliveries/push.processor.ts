import { Processor } from '@nestjs/bull';
import { OutboxJobs } from '../../delivery/worker/outbox-jobs.js';
import { QueueProcessor } from '../../delivery/worker/queue-processor.js';

/** Consumes the queue `push`: each job wakes the queue of one app, where its deliveries run. */
@Processor('push')
export class PushProcessor extends QueueProcessor {
  constructor(jobs: OutboxJobs) {
    super(jobs, 'push');
  }
}
