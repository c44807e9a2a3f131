import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { microsOf, type PageCursor, timeOf } from '../../common/lists/page-cursor.js';
import { parameters } from '../../database/queries/query.js';
import { Statements } from '../../database/statements.js';
import { DUE, PENDING, UNLOCKED } from './outbox.sql.js';
import { QUEUES, type QueuedRow, type QueueName } from '../queues/queues.js';

export interface OutboxState {
  /** Jobs that are due, scheduled or running. */
  readonly pending: number;
  /** Due jobs that no process runs. */
  readonly due: number;
  readonly running: number;
  /** When the oldest due job became due. */
  readonly oldestDueAt: Date | null;
  readonly dead: number;
  /** Done in the last hour. */
  readonly done: number;
}

export interface QueueState {
  readonly queue: QueueName;
  /** Due or scheduled, not running. */
  readonly waiting: number;
  readonly running: number;
  readonly dead: number;
  /** When the oldest due job became due. */
  readonly oldestDueAt: Date | null;
}

export interface JobState {
  readonly job: string;
  readonly pending: number;
  readonly dead: number;
}

export interface RetriedJob extends Omit<QueuedRow, 'id'> {
  readonly job: string;
}

export interface DeadLetter {
  readonly id: string;
  readonly job: string;
  readonly attempts: number;
  readonly createdAt: Date;
  readonly deadAt: Date;
  readonly lastError: string | null;
}

export interface ListedLetter extends DeadLetter {
  /** The job has expired; a retry would fail at once. */
  readonly isTooLate: boolean;
  readonly micros: string;
}

/** Counting stops here; the page then shows "more than". */
export const MAX_COUNTED_LETTERS = 10_000;

const bounded = (condition: string): string =>
  `(SELECT count(*)::int FROM (SELECT FROM outbox_messages WHERE ${condition} LIMIT ${MAX_COUNTED_LETTERS + 1}) AS counted)`;

const STATE = {
  name: 'outbox_state',
  text: `SELECT ${bounded(PENDING)} AS pending, ${bounded(DUE)} AS due,
    ${bounded(`${PENDING} AND locked_until >= now()`)} AS running,
    (SELECT min(available_at) FROM outbox_messages WHERE ${DUE}) AS "oldestDueAt",
    ${bounded('dead_at IS NOT NULL')} AS dead, ${bounded(`done_at > now() - interval '1 hour'`)} AS done`,
};
/** Counted per queue, so that a long queue does not affect the numbers of others. */
const BY_QUEUE = {
  name: 'outbox_by_queue',
  text: `SELECT q.queue,
      ${bounded(`queue = q.queue AND ${PENDING} AND ${UNLOCKED}`)} AS waiting,
      ${bounded(`queue = q.queue AND ${PENDING} AND locked_until >= now()`)} AS running,
      ${bounded('queue = q.queue AND dead_at IS NOT NULL')} AS dead,
      (SELECT min(available_at) FROM outbox_messages WHERE queue = q.queue AND ${DUE}) AS "oldestDueAt"
    FROM unnest($1::text[]) WITH ORDINALITY AS q(queue, place) ORDER BY q.place`,
};
const BY_JOB = {
  name: 'outbox_by_job',
  text: `SELECT job, count(*) FILTER (WHERE dead_at IS NULL)::int AS pending,
      count(*) FILTER (WHERE dead_at IS NOT NULL)::int AS dead
    FROM ((SELECT job, dead_at FROM outbox_messages WHERE ${PENDING} LIMIT ${MAX_COUNTED_LETTERS})
      UNION ALL (SELECT job, dead_at FROM outbox_messages WHERE dead_at IS NOT NULL LIMIT ${MAX_COUNTED_LETTERS})) AS open
    GROUP BY job ORDER BY job`,
};
/** Restarts the job with all its attempts. Not for an expired job, which would become a dead letter again at once. */
const REVIVE = {
  name: 'outbox_revive',
  text: `UPDATE outbox_messages SET dead_at = NULL, attempts = 0, available_at = now(), locked_until = NULL
    WHERE id = $1 AND dead_at IS NOT NULL AND (expires_at IS NULL OR expires_at > now()) RETURNING job, queue, group_key AS "group"`,
};
const DISCARD = {
  name: 'outbox_discard',
  text: 'DELETE FROM outbox_messages WHERE id = $1 AND dead_at IS NOT NULL RETURNING job',
};

const LETTER = `id, job, attempts, created_at AS "createdAt", dead_at AS "deadAt", last_error AS "lastError"`;
const ONE = {
  name: 'outbox_dead_one',
  text: `SELECT ${LETTER}
    FROM outbox_messages WHERE id = $1 AND dead_at IS NOT NULL`,
};

/** What operators can see of `outbox_messages`, without payloads, and their actions on dead letters. */
@Injectable()
export class DeadLettersRepository {
  constructor(private readonly statements: Statements) {}

  async state(): Promise<OutboxState> {
    return (await this.statements.run<OutboxState & object>(STATE, []))[0]!;
  }

  /** All queues, in the order of {@link QUEUES}. */
  byQueue(): Promise<QueueState[]> {
    return this.statements.run<QueueState & object>(BY_QUEUE, [QUEUES]);
  }

  byJob(): Promise<JobState[]> {
    return this.statements.run<JobState & object>(BY_JOB, []);
  }

  /** Newest first, at most `limit`. */
  list(limit: number, after: PageCursor | null): Promise<ListedLetter[]> {
    const { bind, values } = parameters();
    const behind = after ? `AND (dead_at, id) < (${timeOf(bind(after.micros))}, ${bind(after.id)}::uuid)` : '';
    const text = `SELECT ${LETTER},
        coalesce(expires_at <= now(), false) AS "isTooLate", ${microsOf('dead_at')} AS micros
      FROM outbox_messages WHERE dead_at IS NOT NULL ${behind} ORDER BY dead_at DESC, id DESC LIMIT ${bind(limit)}`;
    return this.statements.run<ListedLetter & object>({ name: after ? 'outbox_dead_on' : 'outbox_dead', text }, values);
  }

  async find(id: string): Promise<DeadLetter | null> {
    return (await this.statements.run<DeadLetter & object>(ONE, [id]))[0] ?? null;
  }

  /** Null if the job is no longer a dead letter, or has expired. */
  async revive(tx: EntityManager, id: string): Promise<RetriedJob | null> {
    return (await this.statements.run<RetriedJob & object>(REVIVE, [id], tx))[0] ?? null;
  }

  /** @returns the name of the job, or null if it is no longer a dead letter */
  async discard(tx: EntityManager, id: string): Promise<string | null> {
    return (await this.statements.run<{ job: string }>(DISCARD, [id], tx))[0]?.job ?? null;
  }
}
