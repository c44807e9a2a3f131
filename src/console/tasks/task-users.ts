import { Injectable } from '@nestjs/common';
import type { FailedUser } from '../../operations/tasks/task-users.repository.js';
import { TaskUsersService } from '../../operations/tasks/task-users.service.js';
import { AppDirectory } from '../../apps/directory/app-directory.js';
import { canAdministerApp } from '../../common/actor.js';
import { AppMembers } from '../../enrollment/members/app-members.js';
import type { OperatorTask } from '../../operations/tasks/operator-task.entity.js';
import { MEMBER_TASK, type MemberTaskDetails } from '../../operators/tasks/membership-actions.runner.js';
import { ActFacts, type Fact } from '../previews/act-facts.js';
import type { ConsoleRequest } from '../frame/requests/console-request.js';

/** The names of the users of a task. */
@Injectable()
export class TaskUsers {
  constructor(
    private readonly users: TaskUsersService,
    private readonly members: AppMembers,
    private readonly directory: AppDirectory,
    private readonly facts: ActFacts,
  ) {}

  /** Names of the first users of a plan, in the order of the plan. */
  async first(consoleRequest: ConsoleRequest, task: OperatorTask, limit: number) {
    return task.appId ? this.named(consoleRequest, task, await this.users.firstUsers(task.id, limit)) : [];
  }

  /** What a plan would change for the sign-in of its users. */
  async foresee(consoleRequest: ConsoleRequest, { id, kind, appId, details, total }: OperatorTask): Promise<Fact[]> {
    if (kind !== MEMBER_TASK || !appId) return [];
    const { act } = details as unknown as MemberTaskDetails;
    // The task has no sign-in of its own, so approvals that need one are skipped.
    const asTask = { ...consoleRequest, ctx: { ...consoleRequest.ctx, signedInRecently: false } };
    return this.facts.ofMembers(asTask, appId, act, await this.users.firstUsers(id, total));
  }

  /** The users for whom the task failed, and why. */
  listFailed(task: OperatorTask, limit: number): Promise<FailedUser[]> {
    return this.users.listFailed(task.id, limit);
  }

  /** Number of users who got no e-mail about the action, because a limit was reached. */
  countUnmailed({ id, kind }: OperatorTask): Promise<number> {
    return kind === MEMBER_TASK ? this.users.countNoted(id) : Promise.resolve(0);
  }

  /** Names in the order of the ids, for users who are in the app now, and only if the operator governs it now. */
  async named({ actor }: ConsoleRequest, { appId }: OperatorTask, userIds: readonly string[]) {
    const client = appId && userIds.length > 0 ? await this.directory.find(appId) : null;
    if (!client || !canAdministerApp(actor, client.app)) return [];
    const found = new Map((await this.members.listAmong(client.app.id, userIds)).map((each) => [each.userId, each]));
    return userIds.flatMap((userId) => {
      const user = found.get(userId);
      const href = `/console/apps/${client.app.id}/members/${userId}`;
      return user ? [{ userId, name: user.displayName, email: user.email, href }] : [];
    });
  }
}
