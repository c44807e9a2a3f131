import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { UserActor } from '../../common/actor.js';
import { Randomness } from '../../common/randomness.js';
import type { RequestContext } from '../../common/request-context.js';
import { SecretBox } from '../../crypto/secret-box.js';
import { Transactions } from '../../database/transactions.js';
import { Outbox } from '../../delivery/outbox/outbox.service.js';
import { TooManyAtOnce } from '../../rate-limits/rate-limited.js';
import type { OperatorTask } from './operator-task.entity.js';
import { ResultAlreadyRecorded, TaskNotFound } from './task.errors.js';
import type { TaskOrigin } from './task-runner.js';
import { type TaskSeries, type TaskOwner, TasksRepository, type TaskWithGroup } from './tasks.repository.js';

/** The operator who starts a task, and their sign-in. */
export interface TaskStarter {
  readonly ctx: RequestContext;
  readonly actor: UserActor;
  readonly amr: readonly string[];
  /** Version of the account's credentials when the session of the request was validated. */
  readonly credentialsVersion: number;
  /** End of the impersonation. */
  readonly actingUntil: Date | null;
}

export interface NewTask {
  readonly kind: string;
  /** Of the app, if the task concerns one. */
  readonly tenantId: string | null;
  readonly appId: string | null;
  /** Contains neither secrets nor users. */
  readonly details: Readonly<Record<string, unknown>>;
  /** Stored encrypted until the task ends. */
  readonly document?: string;
  /** Users of the task. Must not contain an id twice. */
  readonly userIds?: readonly string[];
  /**
   * False: the task is a plan, which starts only after {@link TasksService.start}. It replaces the starter's earlier
   * plan of the same kind.
   */
  readonly isMeant: boolean;
  /** For a task that is no plan; by default {@link TASKS_AT_ONCE}. */
  readonly atOnce?: TaskLimit;
}

/** How many tasks of one kind an operator may have in progress, and the refusal of another one. */
export interface TaskLimit {
  readonly most: number;
  readonly refusal: string;
}

/** All operators share the workers. Plans do not count until they are started. */
const TASKS_AT_ONCE: TaskLimit = { most: 10, refusal: 'Your last tasks are still in progress' };
const RETRY_SECONDS = 10;

/** Attempts for one part; a process that dies during it uses one. */
const ATTEMPTS = 8;
const PROBLEM_LENGTH = 4_000;

/** Work that operators start and that outlasts their request. The caller must check that they may do it. */
@Injectable()
export class TasksService {
  constructor(
    private readonly tasks: TasksRepository,
    private readonly outbox: Outbox,
    private readonly transactions: Transactions,
    private readonly box: SecretBox,
    private readonly randomness: Randomness,
  ) {}

  /**
   * @returns its id
   * @throws TooManyAtOnce if too many of the starter's tasks of this kind are in progress
   */
  async create({ ctx, actor, amr, credentialsVersion, actingUntil }: TaskStarter, task: NewTask): Promise<string> {
    const id = this.randomness.uuid();
    const { kind, tenantId, appId, details, document, userIds = [], isMeant, atOnce } = task;
    const sealedDocument = document === undefined ? null : this.box.seal(document, documentOf(id));
    const series = { startedBy: actor.userId, kind, viaApp: actor.viaApp };
    await this.transactions.run(async (tx) => {
      await this.tasks.lockSeries(tx, series);
      if (isMeant) await this.checkRoom(tx, series, atOnce);
      else await this.tasks.discardPlans(tx, series);
      await this.tasks.insert(
        tx,
        {
          id,
          kind,
          status: isMeant ? 'queued' : 'planned',
          startedBy: actor.userId,
          amr: [...amr],
          credentialsVersion,
          actingAs: ctx.actingAs ?? null,
          actingUntil: ctx.actingAs ? actingUntil : null,
          requestId: ctx.requestId,
          ipAddress: ctx.ip,
          userAgent: ctx.userAgent,
          tenantId,
          appId,
          details: { ...details, ...originOf(actor) },
          sealedDocument,
          total: userIds.length,
        },
        userIds,
      );
      if (isMeant) await this.enqueue(tx, { id, tenantId, appId, startedBy: actor.userId });
    });
    return id;
  }

  /**
   * Starts a plan.
   * @returns false if it was already started, has expired, or was replaced by a newer plan
   * @throws TooManyAtOnce as {@link TasksService.create}; the plan stays
   */
  start({ id, startedBy, kind, details }: OperatorTask): Promise<boolean> {
    const series = { startedBy, kind, viaApp: (details as TaskOrigin).viaApp ?? null };
    return this.transactions.run(async (tx) => {
      await this.tasks.lockSeries(tx, series);
      if (!(await this.tasks.isPlan(tx, id))) return false;
      await this.checkRoom(tx, series);
      const plan = await this.tasks.queue(tx, id);
      if (plan) await this.enqueue(tx, plan);
      return plan !== null;
    });
  }

  /** @throws TaskNotFound */
  async get(id: string): Promise<OperatorTask> {
    const task = await this.tasks.find(id);
    if (!task) throw new TaskNotFound();
    return task;
  }

  /**
   * Newest first. @param whose null: of all operators
   * @param page from 1
   */
  list(whose: TaskOwner | null, limit: number, page: number): Promise<[OperatorTask[], number]> {
    return this.tasks.list(whose, limit, (page - 1) * limit);
  }

  /** Null if the task has ended. */
  begin(id: string): Promise<OperatorTask | null> {
    return this.tasks.begin(id);
  }

  /**
   * Queues the next part.
   * @param tx the transaction that marks the job of this part as done
   * @param startsAt by default at once
   */
  goOn(task: TaskWithGroup, tx: EntityManager, startsAt?: Date): Promise<void> {
    return this.enqueue(tx, task, startsAt);
  }

  /** Records the progress of a task that does not count users. */
  note(id: string, done: number, total: number): Promise<void> {
    return this.tasks.note(id, done, total);
  }

  /**
   * @param tx the transaction that did the work, if there was a single one
   * @throws ResultAlreadyRecorded if another process was first
   */
  async finish(
    id: string,
    result: { outcome: Record<string, unknown> | null; secrets: string | null },
    tx?: EntityManager,
  ) {
    const sealedSecrets = result.secrets === null ? null : this.box.seal(result.secrets, secretsOf(id));
    const end = { status: 'done', problem: null, outcome: result.outcome, sealedSecrets } as const;
    if (!(await this.tasks.finish(id, end, tx))) throw new ResultAlreadyRecorded();
  }

  /** @param problem the message for the user who started it */
  async fail(id: string, problem: string): Promise<void> {
    const end = { status: 'failed', outcome: null, sealedSecrets: null } as const;
    await this.tasks.finish(id, { ...end, problem: problem.slice(0, PROBLEM_LENGTH) });
  }

  /** As {@link TasksService.fail}, unless the task has another job. */
  giveUp(id: string, problem: string): Promise<void> {
    return this.tasks.giveUp(id, problem);
  }

  async openDocument(id: string): Promise<string | null> {
    const sealed = await this.tasks.findDocument(id);
    return sealed === null ? null : this.box.open(sealed, documentOf(id));
  }

  private async checkRoom(tx: EntityManager, series: TaskSeries, atOnce = TASKS_AT_ONCE): Promise<void> {
    const count = await this.tasks.countUnfinished(tx, series);
    if (count >= atOnce.most) throw new TooManyAtOnce(atOnce.refusal, RETRY_SECONDS);
  }

  /** Tasks take turns by tenant, within it by app, and tasks without a tenant by operator. */
  private async enqueue(
    tx: EntityManager,
    { id, tenantId, appId, startedBy }: TaskWithGroup,
    availableAt?: Date,
  ): Promise<void> {
    const group = tenantId ?? startedBy;
    const options = { group, app: tenantId && appId, maxAttempts: ATTEMPTS, ...(availableAt && { availableAt }) };
    await this.outbox.add(tx, 'tasks', 'task.run', { task: id }, options);
  }
}

export function documentOf(id: string): string {
  return `operator_tasks:${id}:document`;
}

export function secretsOf(id: string): string {
  return `operator_tasks:${id}:secrets`;
}

/** A task that was started with the token of an app has no more authority than that token: see `TaskOperator`. */
function originOf({ viaApp }: UserActor): TaskOrigin {
  return viaApp === null ? {} : { viaApp };
}
