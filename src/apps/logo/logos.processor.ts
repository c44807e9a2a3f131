import { Processor } from '@nestjs/bull';
import { OutboxJobs } from '../../delivery/worker/outbox-jobs.js';
import { QueueProcessor } from '../../delivery/worker/queue-processor.js';

/** Consumes the queue `logos`, which is separate so that no other work waits for slow foreign servers. */
@Processor('logos')
export class LogosProcessor extends QueueProcessor {
  constructor(jobs: OutboxJobs) {
    super(jobs, 'logos');
  }
}
