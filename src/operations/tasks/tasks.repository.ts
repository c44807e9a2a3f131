import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Raw, Repository } from 'typeorm';
import { purgeInBatches } from '../../database/purge-in-batches.js';
import { Statements } from '../../database/statements.js';
import { TaskUsersRepository } from './task-users.repository.js';
import { OperatorTask } from './operator-task.entity.js';

export type NewTaskRow = Pick<
  OperatorTask,
  | 'id'
  | 'kind'
  | 'startedBy'
  | 'amr'
  | 'credentialsVersion'
  | 'actingAs'
  | 'actingUntil'
  | 'requestId'
  | 'ipAddress'
  | 'userAgent'
  | 'tenantId'
  | 'appId'
  | 'details'
  | 'sealedDocument'
  | 'total'
> & { readonly status: 'planned' | 'queued' };

/** Tasks of one user; `actingAs` is null, or the id of the impersonated tenant or app. */
export interface TaskOwner {
  readonly startedBy: string;
  readonly actingAs: string | null;
}

/** Tasks that count together: those of one kind that an operator started in the console, or with the tokens of one app. */
export interface TaskSeries {
  readonly startedBy: string;
  readonly kind: string;
  /** See {@link UserActor}. */
  readonly viaApp: string | null;
}

/** Parameters: {@link parametersOf}. */
const OF_SERIES = `started_by = $1 AND kind = $2 AND details ->> 'viaApp' IS NOT DISTINCT FROM $3`;

const PLAN_KEPT = `interval '1 hour'`;
/** Longer than any task takes; a task that hangs is ended earlier. */
const WORK_KEPT = `interval '30 days'`;
const RESULT_KEPT = `interval '7 days'`;
/** Each task is deleted with its users, of which there can be thousands. */
const PURGE_BATCH = 20;

const INSERT = {
  name: 'tasks.insert',
  text: `INSERT INTO operator_tasks (id, kind, status, started_by, amr, acting_as, acting_until, request_id, ip_address,
      user_agent, tenant_id, app_id, details, sealed_document, total, credentials_version, expires_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16,
      now() + CASE $3::text WHEN 'planned' THEN ${PLAN_KEPT} ELSE ${WORK_KEPT} END)`,
};
/** A task with the fields that determine its group in the queue. */
export type TaskWithGroup = Pick<OperatorTask, 'id' | 'tenantId' | 'appId' | 'startedBy'>;

const IS_PLAN = {
  name: 'tasks.is_plan',
  text: `SELECT 1 FROM operator_tasks WHERE id = $1 AND status = 'planned'`,
};
const QUEUE = {
  name: 'tasks.queue',
  text: `UPDATE operator_tasks SET status = 'queued', expires_at = now() + ${WORK_KEPT}
    WHERE id = $1 AND status = 'planned' AND expires_at > now()
    RETURNING id, tenant_id AS "tenantId", app_id AS "appId", started_by AS "startedBy"`,
};
const BEGIN = {
  name: 'tasks.begin',
  text: `UPDATE operator_tasks SET status = 'running', started_at = coalesce(started_at, now())
    WHERE id = $1 AND status IN ('queued', 'running')
    RETURNING id`,
};
const NOTE = {
  name: 'tasks.note',
  text: `UPDATE operator_tasks SET done = $2, total = $3 WHERE id = $1 AND status = 'running'`,
};
const FINISH = {
  name: 'tasks.finish',
  text: `UPDATE operator_tasks SET status = $2, problem = $3, outcome = $4, sealed_secrets = $5, sealed_document = NULL,
      finished_at = now(), expires_at = now() + ${RESULT_KEPT}
    WHERE id = $1 AND status IN ('queued', 'running') RETURNING id`,
};
const TAKE_SECRETS = {
  name: 'tasks.take_secrets',
  text: `WITH held AS (SELECT id, sealed_secrets FROM operator_tasks WHERE id = $1 AND sealed_secrets IS NOT NULL FOR UPDATE),
      taken AS (UPDATE operator_tasks t SET sealed_secrets = NULL FROM held WHERE t.id = held.id)
    SELECT sealed_secrets AS sealed FROM held`,
};
const DISCARD_PLANS = {
  name: 'tasks.discard_plans',
  text: `DELETE FROM operator_tasks WHERE ${OF_SERIES} AND status = 'planned'`,
};
const COUNT_UNFINISHED = {
  name: 'tasks.count_unfinished',
  text: `SELECT count(*)::int AS count FROM operator_tasks
    WHERE ${OF_SERIES} AND status IN ('queued', 'running')`,
};
/** A task with a pending job waits for a worker, however long none has been there. */
const WITHOUT_JOB = `status IN ('queued', 'running') AND NOT EXISTS (SELECT 1 FROM outbox_messages
  WHERE queue = 'tasks' AND job = 'task.run' AND payload ->> 'task' = operator_tasks.id::text
    AND done_at IS NULL AND dead_at IS NULL)`;
const STOP = `UPDATE operator_tasks SET status = 'failed', problem = $1, sealed_document = NULL,
  finished_at = now(), expires_at = now() + ${RESULT_KEPT}`;
const GIVE_UP = {
  name: 'tasks.give_up',
  text: `${STOP} WHERE id = $2 AND ${WITHOUT_JOB}`,
};
const GIVE_UP_OLD = {
  name: 'tasks.give_up_old',
  text: `${STOP} WHERE created_at < now() - interval '1 day' AND ${WITHOUT_JOB}`,
};
/** Secrets can be read for a day. */
const FORGET_SECRETS = {
  name: 'tasks.forget_secrets',
  text: `UPDATE operator_tasks SET sealed_secrets = NULL
    WHERE sealed_secrets IS NOT NULL AND finished_at < now() - interval '1 day'`,
};

/** Writes `operator_tasks`. `TaskUsersRepository` updates the number of users that a task has finished. */
@Injectable()
export class TasksRepository {
  constructor(
    @InjectRepository(OperatorTask) private readonly tasks: Repository<OperatorTask>,
    private readonly users: TaskUsersRepository,
    private readonly statements: Statements,
  ) {}

  /** Inserts a task with its users. */
  async insert(tx: EntityManager, row: NewTaskRow, userIds: readonly string[]): Promise<void> {
    const { id, kind, status, startedBy, amr, actingAs, actingUntil, requestId, ipAddress, userAgent } = row;
    const who = [startedBy, amr, actingAs && JSON.stringify(actingAs), actingUntil, requestId, ipAddress, userAgent];
    const what = [
      row.tenantId,
      row.appId,
      JSON.stringify(row.details),
      row.sealedDocument,
      row.total,
      row.credentialsVersion,
    ];
    await this.statements.run(INSERT, [id, kind, status, ...who, ...what], tx);
    if (userIds.length > 0) await this.users.insert(tx, id, userIds);
  }

  find(id: string): Promise<OperatorTask | null> {
    return this.tasks.findOneBy({ id });
  }

  /**
   * Until the transaction ends, no one else creates or starts a task of this series, so that exactly as many pass as the
   * limit allows.
   */
  async lockSeries(tx: EntityManager, { startedBy, kind, viaApp }: TaskSeries): Promise<void> {
    const name = `operator tasks ${startedBy} ${kind} ${viaApp ?? ''}`;
    await tx.query('SELECT pg_advisory_xact_lock(hashtext($1))', [name]);
  }

  async isPlan(tx: EntityManager, id: string): Promise<boolean> {
    return (await this.statements.run(IS_PLAN, [id], tx)).length > 0;
  }

  /** Number of tasks that were started and have not ended. */
  async countUnfinished(tx: EntityManager, series: TaskSeries): Promise<number> {
    const [row] = await this.statements.run<{ count: number }>(COUNT_UNFINISHED, parametersOf(series), tx);
    return row!.count;
  }

  /** Newest first, including plans. @param whose null: of all operators */
  list(whose: TaskOwner | null, limit: number, offset: number): Promise<[OperatorTask[], number]> {
    const { startedBy, actingAs } = whose ?? {};
    return this.tasks.findAndCount({
      where: {
        ...(startedBy ? { startedBy } : {}),
        ...(actingAs ? { actingAs: Raw((column) => `${column} ->> 'id' = :actingAs`, { actingAs }) } : {}),
      },
      order: { createdAt: 'DESC', id: 'DESC' },
      take: limit,
      skip: offset,
    });
  }

  async findDocument(id: string): Promise<string | null> {
    const found = await this.tasks.findOne({ where: { id }, select: { id: true, sealedDocument: true } });
    return found?.sealedDocument ?? null;
  }

  async hasSecrets(id: string): Promise<boolean> {
    const text = 'SELECT sealed_secrets IS NOT NULL AS has FROM operator_tasks WHERE id = $1';
    const [row] = await this.statements.run<{ has: boolean }>({ name: 'tasks.has_secrets', text }, [id]);
    return row?.has ?? false;
  }

  /** Null if it is no longer a plan, or has expired. */
  async queue(tx: EntityManager, id: string): Promise<TaskWithGroup | null> {
    return (await this.statements.run<TaskWithGroup & object>(QUEUE, [id], tx))[0] ?? null;
  }

  /** Null if the task has ended. */
  async begin(id: string): Promise<OperatorTask | null> {
    const [row] = await this.statements.run<{ id: string }>(BEGIN, [id]);
    return row ? this.find(id) : null;
  }

  async note(id: string, done: number, total: number): Promise<void> {
    await this.statements.run(NOTE, [id, done, total]);
  }

  /** @returns false if another request was first */
  async finish(
    id: string,
    end: Pick<OperatorTask, 'problem' | 'outcome' | 'sealedSecrets'> & { readonly status: 'done' | 'failed' },
    tx?: EntityManager,
  ): Promise<boolean> {
    const { status, problem, outcome, sealedSecrets } = end;
    const values = [id, status, problem, outcome && JSON.stringify(outcome), sealedSecrets];
    return (await this.statements.run(FINISH, values, tx)).length > 0;
  }

  /** Returns the secrets and deletes them. */
  async takeSecrets(tx: EntityManager, id: string): Promise<string | null> {
    const [row] = await this.statements.run<{ sealed: string }>(TAKE_SECRETS, [id], tx);
    return row?.sealed ?? null;
  }

  async discardPlans(tx: EntityManager, series: TaskSeries): Promise<void> {
    await this.statements.run(DISCARD_PLANS, parametersOf(series), tx);
  }

  /** Ends a task, unless a worker is running it or will run it. */
  async giveUp(id: string, problem: string): Promise<void> {
    await this.statements.run(GIVE_UP, [problem, id]);
  }

  /** Ends tasks that no worker is running any more, or will run. */
  async giveUpOld(problem: string): Promise<void> {
    await this.statements.run(GIVE_UP_OLD, [problem]);
  }

  async forgetSecrets(): Promise<void> {
    await this.statements.run(FORGET_SECRETS, []);
  }

  /** Deletes plans and results that have expired. */
  purge(): Promise<void> {
    const batch = PURGE_BATCH;
    return purgeInBatches(this.statements, { table: 'operator_tasks', column: 'expires_at', age: '0', batch });
  }
}

function parametersOf({ startedBy, kind, viaApp }: TaskSeries): unknown[] {
  return [startedBy, kind, viaApp];
}
