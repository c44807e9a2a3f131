import { Processor } from '@nestjs/bull';
import { OutboxJobs } from '../../delivery/worker/outbox-jobs.js';
import { QueueProcessor } from '../../delivery/worker/queue-processor.js';

/** Consumes the queue `logout`: apps are notified that a session has ended (OpenID Connect Back-Channel Logout 1.0). */
@Processor('logout')
export class LogoutProcessor extends QueueProcessor {
  constructor(jobs: OutboxJobs) {
    super(jobs, 'logout');
  }
}
