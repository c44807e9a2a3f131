import { Injectable } from '@nestjs/common';
import type { OperatorTask } from '../../operations/tasks/operator-task.entity.js';
import { TaskNotFound } from '../../operations/tasks/task.errors.js';
import { TasksService } from '../../operations/tasks/tasks.service.js';
import type { ConsoleRequest } from '../frame/console-request.js';
import { isAsStarted } from '../frame/task-starter.js';

/**
 * Whose tasks a visitor sees: their own, and platform admins everyone's. While they impersonate a tenant or an app, the
 * tasks started in that role.
 */
@Injectable()
export class TaskAccess {
  constructor(private readonly tasks: TasksService) {}

  /** @throws TaskNotFound also where it is another user's */
  async get(consoleRequest: ConsoleRequest, id: string): Promise<OperatorTask> {
    const task = await this.tasks.get(id);
    if (!isOwn(consoleRequest, task) && !consoleRequest.actor.authority.platform) throw new TaskNotFound();
    return task;
  }

  /** To continue it, in the role in which it was planned. @throws TaskNotFound */
  async getOwn(consoleRequest: ConsoleRequest, id: string): Promise<OperatorTask> {
    const task = await this.get(consoleRequest, id);
    if (!isAsStarted(consoleRequest, task)) throw new TaskNotFound();
    return task;
  }

  /** Newest first. */
  list({ actor, impersonation }: ConsoleRequest, limit: number, page: number): Promise<[OperatorTask[], number]> {
    const whose = actor.authority.platform ? null : { startedBy: actor.userId, actingAs: impersonation?.id ?? null };
    return this.tasks.list(whose, limit, page);
  }
}

function isOwn({ actor, impersonation }: ConsoleRequest, task: OperatorTask): boolean {
  return task.startedBy === actor.userId && (!impersonation || impersonation.id === task.actingAs?.id);
}
