import { Process, Processor } from '@nestjs/bull';
import type { Job } from 'bull';
import { ANNOUNCEMENT } from '../../delivery/bull-connections.js';
import { OutboxJobs } from '../../delivery/outbox-jobs.js';
import { QueueProcessor } from '../../delivery/queue-processor.js';

/** Logout tokens sent at once by one process. */
const CONCURRENCY = 5;

/** Consumes the queue `logout`: apps are notified that a session has ended (OpenID Connect Back-Channel Logout 1.0). */
@Processor('logout')
export class LogoutProcessor extends QueueProcessor {
  constructor(jobs: OutboxJobs) {
    super(jobs, 'logout', CONCURRENCY);
  }

  @Process({ name: ANNOUNCEMENT, concurrency: CONCURRENCY })
  override process(job: Pick<Job, 'id'>): Promise<void> {
    return super.process(job);
  }
}
