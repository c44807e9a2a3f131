import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '../../delivery/periodic/periodic-job.js';
import { GIVEN_UP } from './task.job.js';
import { TasksRepository } from './tasks.repository.js';

/**
 * Ends tasks that no worker is running any more, and removes plans after an hour, secrets after a day, results after a
 * week.
 */
@Injectable()
export class TaskPurge extends PeriodicJob {
  override readonly name = 'tasks.purge';
  override readonly everySeconds = 600;

  constructor(private readonly tasks: TasksRepository) {
    super();
  }

  override run(): Promise<void> {
    return this.tasks.purge(GIVEN_UP);
  }
}
