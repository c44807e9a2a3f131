import { Injectable } from '@nestjs/common';
import { RecentSignIn } from '../../auth/access/confirmation/recent-sign-in.service.js';
import type { RecentSignInMark } from '../../common/http/access-marks.js';
import { MEMBERSHIP_PERMISSION } from '../../enrollment/enrollments/membership-actions.js';
import type { OperatorTask } from '../../operations/tasks/operator-task.entity.js';
import { TaskNotFound } from '../../operations/tasks/task.errors.js';
import { TasksService } from '../../operations/tasks/tasks.service.js';
import { MEMBER_TASK } from '../../operators/tasks/membership-actions.runner.js';
import { IMPORT_TASK } from '../../operators/tasks/tenant-import.runner.js';
import { PREVIEW_TASK } from '../../previews/changes/preview-tasks.service.js';
import { askWhoItIs } from '../frame/requests/console.errors.js';
import type { ConsoleRequest } from '../frame/requests/console-request.js';
import { isAsStarted } from '../frame/requests/task-starter.js';

/** Whether planning a task of each kind required a recent sign-in. */
const MARKS: Readonly<Record<string, RecentSignInMark>> = {
  [IMPORT_TASK]: 'always',
  [MEMBER_TASK]: MEMBERSHIP_PERMISSION.recentSignIn,
  [PREVIEW_TASK]: 'never',
};

/**
 * The tasks that an operator can see: their own, and for platform admins all. While impersonating a tenant or an app,
 * only tasks that they started while impersonating the same one.
 */
@Injectable()
export class TaskAccess {
  constructor(
    private readonly tasks: TasksService,
    private readonly recent: RecentSignIn,
  ) {}

  /** @throws TaskNotFound, also for a task of another user */
  async get(consoleRequest: ConsoleRequest, id: string): Promise<OperatorTask> {
    const task = await this.tasks.get(id);
    if (!isOwn(consoleRequest, task) && !consoleRequest.actor.authority.platform) throw new TaskNotFound();
    return task;
  }

  /** The task, if {@link isAsStarted}. @throws TaskNotFound, also if the operator impersonates another tenant or app */
  private async getOwn(consoleRequest: ConsoleRequest, id: string): Promise<OperatorTask> {
    const task = await this.get(consoleRequest, id);
    if (!isAsStarted(consoleRequest, task)) throw new TaskNotFound();
    return task;
  }

  /**
   * For starting a task, or for its secrets: requires a sign-in as recent as planning the task did. A new sign-in leads
   * back to the page of the task, which keeps the plan.
   * @throws TaskNotFound, ConsoleRedirect
   */
  async getConfirmed(consoleRequest: ConsoleRequest, id: string): Promise<OperatorTask> {
    const task = await this.getOwn(consoleRequest, id);
    const concerned = { params: { app_id: task.appId ?? '' }, query: {}, body: {} };
    const mark = MARKS[task.kind] ?? 'always';
    const { actor, session } = consoleRequest;
    const isRecent = await this.recent.isRecent(mark, actor, session);
    if (isRecent === false && (await this.recent.isRequired(mark, concerned)))
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
