import { Process, Processor } from '@nestjs/bull';
import type { Job } from 'bull';
import { ANNOUNCEMENT } from '../../delivery/bull-connections.js';
import { OutboxJobs } from '../../delivery/outbox-jobs.js';
import { QueueProcessor } from '../../delivery/queue-processor.js';

/** Pieces of work run at once by one process. */
const CONCURRENCY = 5;

/** Consumes the queue `tasks`: the work that operators start, piece by piece, and copies of logos. */
@Processor('tasks')
export class TasksProcessor extends QueueProcessor {
  constructor(jobs: OutboxJobs) {
    super(jobs, 'tasks', CONCURRENCY);
  }

  @Process({ name: ANNOUNCEMENT, concurrency: CONCURRENCY })
  override process(job: Pick<Job, 'id'>): Promise<void> {
    return super.process(job);
  }
}
