import type { TaskStarter } from '../../operations/tasks/tasks.service.js';
import type { ConsoleRequest } from '../frame/console-request.js';

/** The operator of this request, as the starter of a task. */
export function starterOf({ ctx, actor, session, impersonation }: ConsoleRequest): TaskStarter {
  const { amr, credentialsVersion } = session;
  return { ctx, actor, amr, credentialsVersion, actingUntil: impersonation?.until ?? null };
}
