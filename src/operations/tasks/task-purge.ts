import { Injectable } from '@nestjs/common';
import { PurgeJob } from '../../delivery/periodic/purge-job.js';
import { TASK_STOPPED } from './task.job.js';
import { TasksRepository } from './tasks.repository.js';

/**
 * Ends tasks that no worker is running any more, and removes plans after an hour, secrets after a day, results after a
 * week.
 */
@Injectable()
export class TaskPurge extends PurgeJob {
  override readonly name = 'tasks.purge';
  override readonly everySeconds = 600;

  constructor(private readonly tasks: TasksRepository) {
    super();
  }

  protected override purges() {
    return [() => this.tasks.giveUpOld(TASK_STOPPED), () => this.tasks.forgetSecrets(), () => this.tasks.purge()];
  }
}
