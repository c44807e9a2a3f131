import type { TaskStarter } from '../../../operations/tasks/tasks.service.js';
import type { OperatorTask } from '../../../operations/tasks/operator-task.entity.js';
import type { ConsoleRequest } from './console-request.js';

export const TASKS = { label: 'Tasks', href: '/console/tasks' };

/** The operator of this request, as they are stored with a task. */
export function starterOf({ ctx, actor, session, impersonation }: ConsoleRequest): TaskStarter {
  const { amr, credentialsVersion } = session;
  return { ctx, actor, amr, credentialsVersion, actingUntil: impersonation?.until ?? null };
}

/**
 * Whether the operator who started the task sends the request, in the same impersonation as then, or in none. A later
 * impersonation of the same tenant or app is another one: tasks end with theirs.
 */
export function isAsStarted({ actor, impersonation }: ConsoleRequest, task: OperatorTask): boolean {
  const isSame =
    impersonation?.id === task.actingAs?.id && impersonation?.until.getTime() === task.actingUntil?.getTime();
  return task.startedBy === actor.userId && isSame;
}
