import { Injectable } from '@nestjs/common';
import { TaskUsersService } from '../../operations/tasks/task-users.service.js';
import { MembershipsService } from '../../admin/users/memberships/memberships.service.js';
import { MemberAccess } from '../../admin/users/memberships/member-access.service.js';
import { reasonOf } from '../../admin/users/memberships/refusal-words.js';
import { AppNotFound } from '../../apps/app/apps.errors.js';
import { InsufficientPermissions } from '../../common/http/http.refusals.js';
import { Refusal } from '../../common/refusal.js';
import type { RequestContext } from '../../common/request-context.js';
import type { MembershipActionName } from '../../enrollment/enrollments/membership-actions.js';
import { ResultAlreadyRecorded } from '../../operations/tasks/task.errors.js';
import type { OperatorTask } from '../../operations/tasks/operator-task.entity.js';
import { TaskRunner } from '../../operations/tasks/task-runner.js';
import { TasksService } from '../../operations/tasks/tasks.service.js';
import { LOST, TaskOperator } from './task-operator.js';

export const MEMBER_TASK = 'members';

/** Recorded with users who were approved without an e-mail, because a limit of e-mails was reached. */
const NOT_MAILED = 'not_mailed';

export interface MemberTaskDetails {
  readonly act: MembershipActionName;
  readonly app: string;
}

/** The authority of the task's starter is read once for this many users, about a second's work. */
const PIECE = 20;

/**
 * One action on many members of an app, with the service of the admin API. The transaction of each user also marks them
 * as done, so each is processed exactly once, whichever process dies and however many work on it.
 */
@Injectable()
export class MembershipActionsRunner extends TaskRunner {
  override readonly kind = MEMBER_TASK;

  constructor(
    private readonly tasks: TasksService,
    private readonly users: TaskUsersService,
    private readonly operator: TaskOperator,
    private readonly access: MemberAccess,
    private readonly memberships: MembershipsService,
  ) {
    super();
  }

  override async run(task: OperatorTask): Promise<'more' | 'ended'> {
    const userIds = await this.users.nextUsers(task.id, PIECE);
    const ctx = userIds.length > 0 ? await this.operator.identify(task) : null;
    const isLost = userIds.length > 0 && (!ctx || (await this.runPiece(ctx, task, userIds)) === 'lost');
    await this.users.countUsers(task.id);
    if (isLost) await this.tasks.fail(task.id, LOST);
    else if (userIds.length === 0) await this.end(task);
    return isLost || userIds.length === 0 ? 'ended' : 'more';
  }

  private async runPiece(
    ctx: RequestContext,
    task: OperatorTask,
    userIds: readonly string[],
  ): Promise<'done' | 'lost'> {
    const { act } = task.details as unknown as MemberTaskDetails;
    const appId = task.appId!;
    try {
      await this.access.app(ctx, appId);
      for (const userId of userIds) await this.runOne(ctx, task.id, act, userId, appId);
      return 'done';
    } catch (error) {
      if (error instanceof InsufficientPermissions || error instanceof AppNotFound) return 'lost';
      throw error;
    }
  }

  /** Refusals of the API are recorded with the user. */
  private async runOne(
    ctx: RequestContext,
    taskId: string,
    act: MembershipActionName,
    userId: string,
    appId: string,
  ): Promise<void> {
    try {
      await this.memberships.run(act, ctx, userId, appId, {
        isTask: true,
        before: (tx) => this.users.settle(tx, taskId, userId),
        after: async (tx, { emailSent }) => {
          if (emailSent === false) await this.users.note(tx, taskId, userId, NOT_MAILED);
        },
      });
    } catch (error) {
      if (error instanceof ResultAlreadyRecorded) return;
      const isOfAll = error instanceof InsufficientPermissions || error instanceof AppNotFound;
      if (!(error instanceof Refusal) || isOfAll || error.kind === 'unavailable') throw error;
      await this.users.failUser(taskId, userId, `${reasonOf(error)}.`);
    }
  }

  private async end({ id }: OperatorTask): Promise<void> {
    try {
      await this.tasks.finish(id, { outcome: null, secrets: null });
    } catch (error) {
      if (!(error instanceof ResultAlreadyRecorded)) throw error;
    }
  }
}
