import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { UserActor } from '../../common/actor.js';
import { Randomness } from '../../common/randomness.js';
import type { RequestContext } from '../../common/request-context.js';
import { SecretBox } from '../../crypto/secret-box.js';
import { Transactions } from '../../database/transactions.js';
import { Outbox } from '../../delivery/outbox/outbox.service.js';
import type { OperatorTask } from './operator-task.entity.js';
import { AlreadySettled, TaskNotFound } from './task.errors.js';
import type { RunningTask } from './task-runner.js';
import { type TasksOf, TasksRepository, type WhoseTask } from './tasks.repository.js';

/** The operator who starts a task, and their sign-in. */
export interface TaskStarter {
  readonly ctx: RequestContext;
  readonly actor: UserActor;
  readonly amr: readonly string[];
  /** Of their account, when the request's session was found good. */
  readonly credentialsVersion: number;
  /** Until when they may act as whom the context says. */
  readonly actingUntil: Date | null;
}

export interface NewTask {
  readonly kind: string;
  readonly tenantId: string | null;
  readonly appId: string | null;
  /** Contains neither secrets nor users. */
  readonly details: Readonly<Record<string, unknown>>;
  /** Kept sealed until the work ends. A plan that has one takes the place of the starter's other plans of that kind. */
  readonly document?: string;
  /** Whom it concerns, each once. */
  readonly userIds?: readonly string[];
  /** False: begun only once {@link TasksService.start} says so. */
  readonly isMeant: boolean;
}

/** Tries of one piece; a process that dies in it uses one up. */
const ATTEMPTS = 8;
const AGENT_LENGTH = 512;
const PROBLEM_LENGTH = 4_000;

/** Work that operators start and that outlasts their request. The caller has checked that they may do it. */
@Injectable()
export class TasksService {
  constructor(
    private readonly tasks: TasksRepository,
    private readonly outbox: Outbox,
    private readonly transactions: Transactions,
    private readonly box: SecretBox,
    private readonly randomness: Randomness,
  ) {}

  /** @returns its id */
  async create({ ctx, actor, amr, credentialsVersion, actingUntil }: TaskStarter, task: NewTask): Promise<string> {
    const id = this.randomness.uuid();
    const { kind, tenantId, appId, details, document, userIds = [], isMeant } = task;
    const sealedDocument = document === undefined ? null : this.box.seal(document, documentOf(id));
    await this.transactions.run(async (tx) => {
      if (document !== undefined && !isMeant) await this.tasks.discardPlans(tx, actor.userId, kind);
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
          userAgent: ctx.userAgent?.slice(0, AGENT_LENGTH).replaceAll('\0', '') ?? null,
          tenantId,
          appId,
          details,
          sealedDocument,
          total: userIds.length,
        },
        userIds,
      );
      if (isMeant) await this.enqueue(tx, { id, tenantId, startedBy: actor.userId });
    });
    return id;
  }

  /** Begins what was planned. @returns false where it had begun already, or its time has passed */
  start(id: string): Promise<boolean> {
    return this.transactions.run(async (tx) => {
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

  /** Of one kind, that a worker has not ended. */
  countUnfinished(startedBy: string, kind: string): Promise<number> {
    return this.tasks.countUnfinished(startedBy, kind);
  }

  /** Newest first. @param whose null: of all operators @param page from 1 */
  list(whose: TasksOf | null, limit: number, page: number): Promise<[OperatorTask[], number]> {
    return this.tasks.list(whose, limit, (page - 1) * limit);
  }

  /** Null where there is nothing to do any more. */
  begin(id: string): Promise<RunningTask | null> {
    return this.tasks.begin(id);
  }

  /** The next piece. */
  goOn(task: WhoseTask): Promise<void> {
    return this.transactions.run((tx) => this.enqueue(tx, task));
  }

  /** Records the progress of a task whose progress is not counted by its users. */
  note(id: string, done: number, total: number): Promise<void> {
    return this.tasks.note(id, done, total);
  }

  /**
   * @param tx the transaction that did the work, where it was one
   * @throws AlreadySettled if another process was first
   */
  async finish(
    id: string,
    result: { outcome: Record<string, unknown> | null; secrets: string | null },
    tx?: EntityManager,
  ) {
    const sealedSecrets = result.secrets === null ? null : this.box.seal(result.secrets, secretsOf(id));
    const end = { status: 'done', problem: null, outcome: result.outcome, sealedSecrets } as const;
    if (!(await this.tasks.finish(id, end, tx))) throw new AlreadySettled();
  }

  /** @param problem the message for the user who started it */
  async fail(id: string, problem: string): Promise<void> {
    const end = { status: 'failed', outcome: null, sealedSecrets: null } as const;
    await this.tasks.finish(id, { ...end, problem: problem.slice(0, PROBLEM_LENGTH) });
  }

  async openDocument(id: string): Promise<string | null> {
    const sealed = await this.tasks.findDocument(id);
    return sealed === null ? null : this.box.open(sealed, documentOf(id));
  }

  /** In turn with the other tenants; what concerns none, with the other operators. */
  private async enqueue(tx: EntityManager, { id, tenantId, startedBy }: WhoseTask): Promise<void> {
    const options = { group: tenantId ?? startedBy, maxAttempts: ATTEMPTS };
    await this.outbox.add(tx, 'tasks', 'task.run', { task: id }, options);
  }
}

export function documentOf(id: string): string {
  return `operator_tasks:${id}:document`;
}

export function secretsOf(id: string): string {
  return `operator_tasks:${id}:secrets`;
}
