import { Injectable } from '@nestjs/common';
import { RecentSignIn } from '../../auth/access/recent-sign-in.service.js';
import type { OperatorTask } from '../../operations/tasks/operator-task.entity.js';
import { TaskNotFound } from '../../operations/tasks/task.errors.js';
import { TasksService } from '../../operations/tasks/tasks.service.js';
import { IMPORT_TASK } from '../../operators/tasks/tenant-import.runner.js';
import { askWhoItIs } from '../frame/console.errors.js';
import type { ConsoleRequest } from '../frame/console-request.js';
import { isAsStarted } from '../frame/task-starter.js';

/**
 * Whose tasks a visitor sees: their own, and platform admins everyone's. While they impersonate a tenant or an app, the
 * tasks started in that role.
 */
@Injectable()
export class TaskAccess {
  constructor(
    private readonly tasks: TasksService,
    private readonly recent: RecentSignIn,
  ) {}

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

  /** The same, to begin it. @throws TaskNotFound, GoElsewhere: an import needs a recent sign-in, and its page keeps the plan meanwhile */
  async getToStart(consoleRequest: ConsoleRequest, id: string): Promise<OperatorTask> {
    const task = await this.getOwn(consoleRequest, id);
    if (task.kind === IMPORT_TASK && !this.recent.isRecent(consoleRequest.session.authTime))
      throw askWhoItIs(`/console/tasks/${task.id}`);
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
