import { Injectable } from '@nestjs/common';
import type { Prediction } from '../../apps/comparisons/change-comparison.entity.js';
import { AppDirectory } from '../../apps/directory/app-directory.js';
import {
  type Actor,
  canAdministerApp,
  canAdministerPlatform,
  canAdministerTenant,
  type UserActor,
} from '../../common/actor.js';
import { InsufficientPermissions } from '../../common/http/http.refusals.js';
import type { RequestContext } from '../../common/request-context.js';
import { VisibleUsers } from '../../enrollment/users/visible-users.service.js';
import type { OperatorTask } from '../../operations/tasks/operator-task.entity.js';
import { TaskNotFound } from '../../operations/tasks/task.errors.js';
import type { TaskOrigin } from '../../operations/tasks/task-runner.js';
import { type TaskLimit, TasksService, type TaskStarter } from '../../operations/tasks/tasks.service.js';
import type { ChangePreview } from './change-previews.service.js';
import type { PastSummary } from '../effects/effect-counter.js';
import type { Effect } from '../../auth/entry/effect.rules.js';
import { kept, type PreviewSubject } from '../proposals/preview-subject.js';
import type { User } from '../../users/user.entity.js';

export const PREVIEW_TASK = 'change_preview';

/** A preview may read all members of an app, so an operator may have fewer in progress than other tasks. */
const PREVIEWS_AT_ONCE: TaskLimit = { most: 3, refusal: 'Your last previews are still in progress' };

/** The console form that waits for the result. */
export interface PendingForm {
  readonly fields: Readonly<Record<string, string>>;
  readonly action: string;
  readonly fileAction: string;
  readonly back: string;
  readonly button: string;
  /** Absent: depends on the button. */
  readonly canWait?: boolean;
}

export interface PreviewTaskDetails {
  readonly subject: PreviewSubject;
  /** Whether the starter may know what users have elsewhere. */
  readonly knowsAll: boolean;
  /** Absent: requested with the API. */
  readonly form?: PendingForm;
}

/** The result without names, which are read when it is shown. */
export interface PreviewTaskOutcome {
  readonly members: number;
  readonly locks_you_out: boolean;
  /** Absent: written by an earlier version. */
  readonly locks_admins_out?: boolean;
  readonly ends_direct_sign_in: boolean;
  readonly past: { readonly sign_ins: number; readonly rules: PastSummary['rules'] };
  /** Absent: written by an earlier version. */
  readonly prediction?: Prediction;
  readonly effects: readonly {
    readonly effect: Effect;
    readonly count: number;
    readonly users: readonly {
      readonly user_id: string;
      readonly app_id: string;
      readonly rule: string;
      readonly method_before: string | null;
      readonly method_after: string | null;
    }[];
  }[];
}

/** Previews for more members than a request can evaluate, as tasks of a worker. */
@Injectable()
export class PreviewTasks {
  constructor(
    private readonly tasks: TasksService,
    private readonly visibleUsers: VisibleUsers,
    private readonly directory: AppDirectory,
  ) {}

  /**
   * The caller must have drafted the change, which checks their authority. @returns the id of the task
   * @throws RateLimited
   */
  async create(starter: TaskStarter, subject: PreviewSubject, form?: PendingForm): Promise<string> {
    const details: PreviewTaskDetails = {
      subject: kept(subject),
      knowsAll: canAdministerPlatform(starter.actor),
      ...(form && { form }),
    };
    return this.tasks.create(starter, {
      kind: PREVIEW_TASK,
      tenantId: await this.tenantOf(subject),
      appId: subject.of === 'app' ? subject.id : null,
      details: { ...details },
      isMeant: true,
      atOnce: PREVIEWS_AT_ONCE,
    });
  }

  private async tenantOf(subject: PreviewSubject): Promise<string | null> {
    if (subject.of === 'tenant') return subject.id;
    if (subject.of === 'provider') return null;
    return (await this.directory.findOfAnyOrigin(subject.id))?.tenant.id ?? null;
  }

  /** For a caller of the API. @throws InsufficientPermissions for a service token */
  async createByToken(ctx: RequestContext, subject: PreviewSubject): Promise<string> {
    const { actor } = ctx;
    if (actor.type !== 'user') throw new InsufficientPermissions();
    return this.create({ ctx, actor, ...shownBy(actor), actingUntil: null }, subject);
  }

  /**
   * A preview of the caller, with a token of the same app.
   * @throws TaskNotFound, also for one of another operator, and if the caller {@link mayRead} it no more
   */
  async get({ actor }: RequestContext, id: string): Promise<OperatorTask> {
    const task = await this.tasks.get(id);
    if (task.kind !== PREVIEW_TASK || actor.type !== 'user' || task.startedBy !== actor.userId)
      throw new TaskNotFound();
    const { viaApp }: TaskOrigin = task.details;
    if ((viaApp ?? null) !== actor.viaApp) throw new TaskNotFound();
    if (!(await this.mayRead(actor, task))) throw new TaskNotFound();
    return task;
  }

  /**
   * Whether the caller still administers the app or tenant. A result for a platform admin contains what users have
   * elsewhere (docs/decisions/0074), so only platform admins may read it.
   */
  private async mayRead(actor: Actor, { tenantId, appId, details }: OperatorTask): Promise<boolean> {
    if (canAdministerPlatform(actor)) return true;
    const { knowsAll } = details as unknown as PreviewTaskDetails;
    if (knowsAll) return false;
    if (appId === null) return tenantId !== null && canAdministerTenant(actor, tenantId);
    const client = await this.directory.findOfAnyOrigin(appId);
    return client !== null && canAdministerApp(actor, client.app);
  }

  /** As {@link get}; null instead of TaskNotFound. */
  find(ctx: RequestContext, id: string): Promise<OperatorTask | null> {
    return this.get(ctx, id).catch((error: unknown) => {
      if (error instanceof TaskNotFound) return null;
      throw error;
    });
  }

  /**
   * The result with the names of users that the caller may see; null: not done.
   * @throws TaskNotFound if the caller {@link mayRead} it no more
   */
  async resultOf(ctx: RequestContext, task: OperatorTask): Promise<ChangePreview | null> {
    const { outcome } = task;
    if (!outcome) return null;
    if (!(await this.mayRead(ctx.actor, task))) throw new TaskNotFound();
    const { members, past, effects, prediction, ...rest } = outcome as unknown as PreviewTaskOutcome;
    const ids = [...new Set(effects.flatMap(({ users }) => users.map((each) => each.user_id)))];
    const visible = new Map((await this.visibleUsers.listVisible(ctx, ids)).map((user) => [user.id, user]));
    const names = new Map<string, string>();
    for (const id of new Set(effects.flatMap(({ users }) => users.map((each) => each.app_id))))
      names.set(id, (await this.directory.findOfAnyOrigin(id))?.app.name ?? '');
    return {
      members,
      locksYouOut: rest.locks_you_out,
      locksAdminsOut: rest.locks_admins_out ?? false,
      endsDirectSignIn: rest.ends_direct_sign_in,
      past: { signIns: past.sign_ins, rules: past.rules },
      ...(prediction && { prediction }),
      effects: effects.map(({ effect, count, users }) => ({
        effect,
        count,
        users: users.flatMap((each) => {
          const user = visible.get(each.user_id);
          return user ? [affectedOf(effect, each, user, names.get(each.app_id)!)] : [];
        }),
      })),
    };
  }
}

function affectedOf(
  effect: Effect,
  stored: PreviewTaskOutcome['effects'][number]['users'][number],
  { id: userId, email, displayName }: User,
  appName: string,
) {
  return {
    effect,
    rule: stored.rule,
    appId: stored.app_id,
    appName,
    userId,
    email,
    displayName,
    methodBefore: stored.method_before,
    methodAfter: stored.method_after,
  };
}

export function outcomeOf({
  members,
  effects,
  locksYouOut,
  locksAdminsOut,
  endsDirectSignIn,
  past,
  prediction,
}: ChangePreview): PreviewTaskOutcome {
  return {
    members,
    past: { sign_ins: past.signIns, rules: past.rules },
    ...(prediction && { prediction }),
    locks_you_out: locksYouOut,
    locks_admins_out: locksAdminsOut,
    ends_direct_sign_in: endsDirectSignIn,
    effects: effects.map(({ effect, count, users }) => ({
      effect,
      count,
      users: users.map(({ userId, appId, rule, methodBefore, methodAfter }) => ({
        user_id: userId,
        app_id: appId,
        rule,
        method_before: methodBefore,
        method_after: methodAfter,
      })),
    })),
  };
}

/** Authentication methods of the token's sign-in, which are checked again while the task runs. */
function shownBy({ amr, credentialsVersion }: UserActor): { amr: readonly string[]; credentialsVersion: number } {
  if (!amr || credentialsVersion === undefined) throw new InsufficientPermissions();
  return { amr, credentialsVersion };
}
