import { Processor } from '@nestjs/bull';
import { OutboxJobs } from '../../delivery/worker/outbox-jobs.js';
import { QueueProcessor } from '../../delivery/worker/queue-processor.js';

/** Consumes the queue `tasks`: parts of the tasks that operators start, and comparisons of changes. */
@Processor('tasks')
export class TasksProcessor extends QueueProcessor {
  constructor(jobs: OutboxJobs) {
    super(jobs, 'tasks');
  }
}
