import { Injectable } from '@nestjs/common';
import { cutAuthority } from '../../auth/access/access.rules.js';
import type { UserActor } from '../../common/actor.js';
import type { RequestContext } from '../../common/request-context.js';
import { EnrollmentService } from '../../enrollment/memberships/enrollment.service.js';
import type { OperatorTask } from '../../operations/tasks/operator-task.entity.js';
import type { TaskOrigin } from '../../operations/tasks/task-runner.js';
import { ImpersonationService } from '../impersonation/impersonation.service.js';
import { ConsoleEntrance } from '../console-entrance.js';

export const LOST =
  'The user who started this may no longer do it: their permissions or a way to sign in changed, they were signed out from another browser, or their impersonation ended. The task stopped there.';

/** The user who started a task, with their current authority: a task can do no more than its starter could do now. */
@Injectable()
export class TaskOperator {
  constructor(
    private readonly entrance: ConsoleEntrance,
    private readonly enrollment: EnrollmentService,
    private readonly impersonations: ImpersonationService,
  ) {}

  /** The context of a request that the starter would send now; null if the console would not admit them. */
  async identify(task: OperatorTask): Promise<RequestContext | null> {
    const own = await this.entrance.identify(task.startedBy, task.amr);
    if (typeof own === 'string') return null;
    if (!(await this.isStillTheirs(task))) return null;
    const actor = asStarted(own, task.details);
    const ctx = { requestId: task.requestId, ip: task.ipAddress, userAgent: task.userAgent, actor };
    const { actingAs, actingUntil } = task;
    if (!actingAs || !actingUntil) return ctx;
    const impersonation = { ...actingAs, until: actingUntil };
    if (!(await this.impersonations.goesOn(task.startedBy, impersonation))) return null;
    const acting = await this.impersonations.read(own, { impersonation, impersonationIsOver: false });
    return acting && { ...ctx, actor: { ...own, authority: acting.authority }, actingAs: acting.actingAs };
  }

  /**
   * False after one of their browsers was signed out or a credential was changed: what an attacker has started must end
   * with that.
   */
  private async isStillTheirs({ startedBy, createdAt, credentialsVersion }: OperatorTask): Promise<boolean> {
    const now = await this.enrollment.findUserAuthority(startedBy);
    if (!now || now.tokensValidFrom > createdAt.getTime()) return false;
    return credentialsVersion === null || credentialsVersion === now.credentialsVersion;
  }
}

/** With the authority of the token that started the task, which is that of the user in its app at most. */
function asStarted(own: UserActor, { viaApp }: TaskOrigin): UserActor {
  if (viaApp === undefined) return own;
  const authority = cutAuthority(own.authority, { appId: viaApp, isConsole: false });
  return { ...own, audience: viaApp, viaApp, authority };
}
