import type { TaskStarter } from '../../../operations/tasks/tasks.service.js';
import type { OperatorTask } from '../../../operations/tasks/operator-task.entity.js';
import type { ConsoleRequest } from './console-request.js';

export const TASKS = { label: 'Tasks', href: '/console/tasks' };

/** The operator of this request, as they are stored with a task. */
export function starterOf({ ctx, actor, session, impersonation }: ConsoleRequest): TaskStarter {
  const { amr, credentialsVersion } = session;
  return { ctx, actor, amr, credentialsVersion, actingUntil: impersonation?.until ?? null };
}

/** Whether the operator who started the task sends the request, impersonating the same tenant or app, or none, as then. */
export function isAsStarted({ actor, impersonation }: ConsoleRequest, task: OperatorTask): boolean {
  return task.startedBy === actor.userId && (impersonation?.id ?? null) === (task.actingAs?.id ?? null);
}
