import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { timeInWords } from '../../common/pages/time-in-words.js';
import type { OperatorTask } from '../../operations/tasks/operator-task.entity.js';
import { UsersService } from '../../users/users.service.js';
import { taskState } from './task-words.js';

/** The operator who started a task, their impersonation, and the time. */
@Injectable()
export class TaskFacts {
  constructor(
    private readonly users: UsersService,
    private readonly clock: Clock,
  ) {}

  async of(task: OperatorTask) {
    const now = this.clock.now();
    const starter = await this.users.find(task.startedBy);
    return {
      state: taskState(task),
      by: starter?.email ?? '',
      actingAs: task.actingAs && `the ${task.actingAs.type} ${task.actingAs.name}`,
      begun: timeInWords(task.startedAt ?? task.createdAt, now),
      ended: task.finishedAt && timeInWords(task.finishedAt, now),
      auditUrl: auditUrl(task),
    };
  }
}

/** Link to the audit entries of the operator who started the task, in its app and during its time. */
function auditUrl({ startedBy, appId, createdAt, finishedAt }: OperatorTask): string {
  const filter = {
    person: startedBy,
    ...(appId ? { app_id: appId } : {}),
    after: createdAt.toISOString(),
    // The log's filter excludes this bound.
    ...(finishedAt ? { before: new Date(finishedAt.getTime() + 1_000).toISOString() } : {}),
  };
  return `/console/audit?${new URLSearchParams(filter).toString()}`;
}
