import { OWNER_OF_GROUP } from './group-keys.rules.js';
import { PENDING, UNLOCKED } from './outbox.sql.js';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { purgeInBatches } from '../../database/purge-in-batches.js';
import { Statements } from '../../database/statements.js';
import type { QueuedRow, QueueName } from '../queues/queues.js';

/** A claimed row, with everything needed to run it. */
export interface ClaimedMessage {
  readonly id: string;
  readonly job: string;
  readonly payload: unknown;
  /**
   * Number of this attempt. Also the fencing token: a later claim has a higher number, unless this one was left to
   * another worker.
   */
  readonly attempts: number;
  readonly maxAttempts: number;
  /** The job had expired, by the database's clock, when it was claimed. */
  readonly expired: boolean;
}

/**
 * Two clocks are used. Leases and expiry use only the database's clock: a process with a wrong clock must neither claim
 * a running job nor drop one. Whether a retry is due depends on the later of both clocks, so that a process with a slow
 * clock delays nothing, and tests can advance the time.
 */
const CLAIM = `SET attempts = attempts + 1, locked_until = now() + make_interval(secs => $2)`;
const CLAIMED = `m.id, job, payload, attempts, max_attempts AS "maxAttempts", coalesce(expires_at <= now(), false) AS expired`;

const INSERT = {
  name: 'outbox_insert',
  text: `INSERT INTO outbox_messages (id, queue, group_key, job, payload, max_attempts, available_at, expires_at)
    VALUES ($1, $2, $3, $4, $5, $6, coalesce($7, now()), $8)`,
};
/** Not a job that a process is running: it has already read its data. */
const IS_WAITING = {
  name: 'outbox_is_waiting',
  text: `SELECT FROM outbox_messages
    WHERE queue = $1 AND group_key = $2 AND job = $3 AND payload = $4::jsonb AND ${PENDING} AND ${UNLOCKED} LIMIT 1`,
};
const CLAIM_ONE = {
  name: 'outbox_claim_one',
  text: `UPDATE outbox_messages m ${CLAIM}
    WHERE id = $3 AND ${PENDING} AND ${UNLOCKED} AND available_at <= greatest(now(), $1::timestamptz)
    RETURNING ${CLAIMED}`,
};
/** Due rows of one group, oldest first, without those that another process is claiming. */
const CLAIM_DUE = {
  name: 'outbox_claim_due',
  text: `WITH due AS (
      SELECT id FROM outbox_messages
      WHERE queue = $3 AND group_key = $5 AND ${PENDING} AND ${UNLOCKED}
        AND available_at <= greatest(now(), $1::timestamptz)
      ORDER BY available_at LIMIT $4 FOR UPDATE SKIP LOCKED)
    UPDATE outbox_messages m ${CLAIM} FROM due WHERE m.id = due.id RETURNING ${CLAIMED}`,
};
/** One index lookup for each group with pending rows, however many rows it has. */
const GROUPS = `WITH RECURSIVE groups AS (
      (SELECT group_key, available_at FROM outbox_messages WHERE queue = $2 AND ${PENDING}
       ORDER BY group_key, available_at LIMIT 1)
      UNION ALL
      SELECT next.* FROM groups, LATERAL (
        SELECT m.group_key, m.available_at FROM outbox_messages m
        WHERE m.queue = $2 AND m.group_key > groups.group_key AND m.done_at IS NULL AND m.dead_at IS NULL
        ORDER BY m.group_key, m.available_at LIMIT 1) AS next
    )`;
const LIST_GROUPS = {
  name: 'outbox_list_groups',
  text: `${GROUPS} SELECT group_key AS "group" FROM groups
    WHERE available_at <= greatest(now(), $1::timestamptz) - make_interval(secs => $3)`,
};
/** Rows of one group that one sweep announces. A group that is awake finds the rest itself. */
const LISTED_OF_GROUP = 25;
/** A limited number of rows per group, oldest due first. Tenants take turns, and so do the apps of each tenant. */
const LIST_DUE = {
  name: 'outbox_list_due',
  text: `${GROUPS} SELECT id, "group" FROM (
      SELECT due.id, due.since, group_key AS "group",
        row_number() OVER (PARTITION BY ${OWNER_OF_GROUP('group_key')} ORDER BY due.place, due.since) AS turn
      FROM groups, LATERAL (
        SELECT m.id, m.available_at AS since, row_number() OVER (ORDER BY m.available_at) AS place
        FROM outbox_messages m
        WHERE m.queue = $2 AND m.group_key = groups.group_key AND ${PENDING} AND ${UNLOCKED}
          AND m.available_at <= greatest(now(), $1::timestamptz)
        ORDER BY m.available_at LIMIT ${LISTED_OF_GROUP}) AS due) AS listed
    ORDER BY turn, since LIMIT $3`,
};
const RENEW = {
  name: 'outbox_renew',
  text: `UPDATE outbox_messages SET locked_until = now() + make_interval(secs => $2)
    WHERE id = ANY($1::uuid[]) AND ${PENDING} AND locked_until IS NOT NULL`,
};
const RELEASE = {
  name: 'outbox_release',
  text: `UPDATE outbox_messages m SET locked_until = NULL FROM unnest($1::uuid[], $2::int[]) AS mine(id, attempts)
    WHERE m.id = mine.id AND m.attempts = mine.attempts AND ${PENDING}`,
};
/** Does not check the lease: the job has been done, even if another process has claimed the row. */
const MARK_DONE = {
  name: 'outbox_mark_done',
  text: `UPDATE outbox_messages SET done_at = now(), locked_until = NULL, last_error = NULL, payload = '{}'
    WHERE id = $1 AND ${PENDING} RETURNING 1`,
};
const RETRY = {
  name: 'outbox_retry',
  text: `UPDATE outbox_messages SET locked_until = NULL, last_error = $4, available_at = next.at,
      dead_at = CASE WHEN expires_at <= next.at THEN now() END
    FROM (SELECT greatest(now(), $3::timestamptz) + make_interval(secs => $5) AS at) AS next
    WHERE id = $1 AND attempts = $2 AND ${PENDING}
    RETURNING dead_at IS NOT NULL AS dead`,
};
/** Takes the attempt back that the claim counted. */
const LEAVE = {
  name: 'outbox_leave',
  text: `UPDATE outbox_messages SET locked_until = NULL, attempts = attempts - 1, last_error = $4,
      available_at = greatest(now(), $3::timestamptz) + make_interval(secs => $5)
    WHERE id = $1 AND attempts = $2 AND ${PENDING}`,
};
const MARK_DEAD = {
  name: 'outbox_mark_dead',
  text: `UPDATE outbox_messages SET dead_at = now(), locked_until = NULL, last_error = $3
    WHERE id = $1 AND attempts = $2 AND ${PENDING} RETURNING id`,
};

/**
 * Writes `outbox_messages`: adds, claims and settles jobs. `DeadLettersRepository` has the actions of operators on failed
 * jobs.
 */
@Injectable()
export class OutboxRepository {
  constructor(private readonly statements: Statements) {}

  async insert(
    tx: EntityManager,
    row: {
      id: string;
      queue: QueueName;
      group: string;
      job: string;
      payload: unknown;
      maxAttempts: number;
      availableAt: Date | null;
      expiresAt: Date | null;
    },
  ): Promise<void> {
    const payload = JSON.stringify(row.payload ?? null);
    const { id, queue, group, job, maxAttempts, availableAt, expiresAt } = row;
    await this.statements.run(INSERT, [id, queue, group, job, payload, maxAttempts, availableAt, expiresAt], tx);
  }

  async isWaiting(
    tx: EntityManager,
    row: { queue: QueueName; group: string; job: string; payload: unknown },
  ): Promise<boolean> {
    const { queue, group, job, payload } = row;
    return (await this.statements.run(IS_WAITING, [queue, group, job, JSON.stringify(payload)], tx)).length > 0;
  }

  /** Null if the job is done, dead, not due yet or claimed by another process. */
  async claim(id: string, now: Date, leaseSeconds: number): Promise<ClaimedMessage | null> {
    return (await this.statements.run<ClaimedMessage & object>(CLAIM_ONE, [now, leaseSeconds, id]))[0] ?? null;
  }

  claimDue(
    queue: QueueName,
    group: string,
    now: Date,
    { limit, leaseSeconds }: { readonly limit: number; readonly leaseSeconds: number },
  ): Promise<ClaimedMessage[]> {
    const values = [now, leaseSeconds, queue, limit, group];
    return this.statements.run<ClaimedMessage & object>(CLAIM_DUE, values);
  }

  listDue(queue: QueueName, now: Date, limit: number): Promise<Omit<QueuedRow, 'queue'>[]> {
    return this.statements.run<Omit<QueuedRow, 'queue'> & object>(LIST_DUE, [now, queue, limit]);
  }

  /** Groups whose first row has been due for `seconds`, even if a process is running it. */
  async listGroups(queue: QueueName, now: Date, seconds: number): Promise<string[]> {
    const rows = await this.statements.run<{ group: string }>(LIST_GROUPS, [now, queue, seconds]);
    return rows.map(({ group }) => group);
  }

  async renew(messages: readonly ClaimedMessage[], leaseSeconds: number): Promise<void> {
    await this.statements.run(RENEW, [messages.map(({ id }) => id), leaseSeconds]);
  }

  async release(messages: readonly ClaimedMessage[]): Promise<void> {
    await this.statements.run(RELEASE, [messages.map(({ id }) => id), messages.map(({ attempts }) => attempts)]);
  }

  /**
   * @param tx transaction of the job's effect, which then happens exactly once
   * @returns false if the job was already done or dead
   */
  async markDone(id: string, tx?: EntityManager): Promise<boolean> {
    return (await this.statements.run(MARK_DONE, [id], tx)).length > 0;
  }

  /** `superseded` if the lease has expired and another process has claimed the row in the meantime. */
  async retry(
    message: ClaimedMessage,
    now: Date,
    seconds: number,
    reason: string,
  ): Promise<'waiting' | 'expired' | 'superseded'> {
    const values = [message.id, message.attempts, now, reason, seconds];
    const [row] = await this.statements.run<{ dead: boolean }>(RETRY, values);
    if (!row) return 'superseded';
    return row.dead ? 'expired' : 'waiting';
  }

  /** Makes the job due again later, as if it had not been claimed. */
  async leave(message: ClaimedMessage, now: Date, seconds: number, reason: string): Promise<void> {
    await this.statements.run(LEAVE, [message.id, message.attempts, now, reason, seconds]);
  }

  /** @returns whether this process still had the lease */
  async markDead(message: ClaimedMessage, reason: string): Promise<boolean> {
    return (await this.statements.run(MARK_DEAD, [message.id, message.attempts, reason])).length > 0;
  }

  /** Deletes jobs that are done, or dead, for longer than this. */
  purge(column: 'done_at' | 'dead_at', age: string): Promise<void> {
    return purgeInBatches(this.statements, { table: 'outbox_messages', column, age });
  }
}
