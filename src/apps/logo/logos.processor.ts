import { Processor } from '@nestjs/bull';
import { OutboxJobs } from '../../delivery/worker/outbox-jobs.js';
import { QueueProcessor } from '../../delivery/worker/queue-processor.js';

/** Consumes the queue `logos`: copies of pictures from the servers of strangers, for which no other work waits. */
@Processor('logos')
export class LogosProcessor extends QueueProcessor {
  constructor(jobs: OutboxJobs) {
    super(jobs, 'logos');
  }
}
