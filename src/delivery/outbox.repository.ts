import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Statements } from '../database/statements.js';
import type { QueueName } from './queues.js';

/** A claimed row with everything that running it needs. */
export interface ClaimedMessage {
  readonly id: string;
  readonly job: string;
  readonly payload: unknown;
  /** Including this attempt. Also the fencing token: a later claim has a higher number. */
  readonly attempts: number;
  readonly maxAttempts: number;
  /** It had expired, by the database's clock, when it was claimed. */
  readonly expired: boolean;
}

export interface DeadLetter {
  readonly id: string;
  readonly job: string;
  readonly attempts: number;
  readonly createdAt: Date;
  readonly deadAt: Date;
  readonly lastError: string | null;
}

/**
 * Two clocks, on purpose. Leases and expiry use the database's clock only: a process whose clock is wrong must
 * neither steal a running job nor drop one. Whether a pause is over is judged by the later of both clocks, so that a
 * process whose clock is slow delays nothing and a test can move time on.
 */
const PENDING = 'done_at IS NULL AND dead_at IS NULL';
const UNLOCKED = '(locked_until IS NULL OR locked_until < now())';
const CLAIM = `SET attempts = attempts + 1, locked_until = now() + make_interval(secs => $2)`;
const CLAIMED = `m.id, job, payload, attempts, max_attempts AS "maxAttempts", coalesce(expires_at <= now(), false) AS expired`;

const INSERT = {
  name: 'outbox_insert',
  text: `INSERT INTO outbox_messages (id, queue, job, payload, max_attempts, available_at, expires_at)
    VALUES ($1, $2, $3, $4, $5, coalesce($6, now()), $7)`,
};
const CLAIM_ONE = {
  name: 'outbox_claim_one',
  text: `UPDATE outbox_messages m ${CLAIM}
    WHERE id = $3 AND ${PENDING} AND ${UNLOCKED} AND available_at <= greatest(now(), $1::timestamptz)
    RETURNING ${CLAIMED}`,
};
/** Longest due first, passing over those that another process is just claiming. */
const CLAIM_DUE = {
  name: 'outbox_claim_due',
  text: `WITH due AS (
      SELECT id FROM outbox_messages
      WHERE queue = $3 AND ${PENDING} AND ${UNLOCKED}
        AND available_at <= greatest(now(), $1::timestamptz) - make_interval(secs => $5)
      ORDER BY available_at LIMIT $4 FOR UPDATE SKIP LOCKED)
    UPDATE outbox_messages m ${CLAIM} FROM due WHERE m.id = due.id RETURNING ${CLAIMED}`,
};
const LIST_DUE = {
  name: 'outbox_list_due',
  text: `SELECT id FROM outbox_messages
    WHERE queue = $2 AND ${PENDING} AND ${UNLOCKED} AND available_at <= greatest(now(), $1::timestamptz)
    ORDER BY available_at LIMIT $3`,
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
/** Without checking the lease: it has happened, even if another process has claimed the row. */
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
const MARK_DEAD = {
  name: 'outbox_mark_dead',
  text: `UPDATE outbox_messages SET dead_at = now(), locked_until = NULL, last_error = $3
    WHERE id = $1 AND attempts = $2 AND ${PENDING} RETURNING id`,
};
const LIST_DEAD = {
  name: 'outbox_list_dead',
  text: `SELECT id, job, attempts, created_at AS "createdAt", dead_at AS "deadAt", last_error AS "lastError"
    FROM outbox_messages WHERE dead_at IS NOT NULL ORDER BY dead_at DESC, id DESC LIMIT $1`,
};
const PURGE = {
  name: 'outbox_purge',
  text: `WITH gone AS (
      DELETE FROM outbox_messages WHERE id IN (
        SELECT id FROM outbox_messages
        WHERE done_at < now() - make_interval(days => $1) OR dead_at < now() - make_interval(days => $2) LIMIT $3)
      RETURNING 1)
    SELECT count(*)::int AS count FROM gone`,
};

/** Every statement on `outbox_messages`. */
@Injectable()
export class OutboxRepository {
  constructor(private readonly statements: Statements) {}

  async insert(
    tx: EntityManager,
    row: {
      id: string;
      queue: QueueName;
      job: string;
      payload: unknown;
      maxAttempts: number;
      availableAt: Date | null;
      expiresAt: Date | null;
    },
  ): Promise<void> {
    const payload = JSON.stringify(row.payload ?? null);
    const { id, queue, job, maxAttempts, availableAt, expiresAt } = row;
    await this.statements.run(INSERT, [id, queue, job, payload, maxAttempts, availableAt, expiresAt], tx);
  }

  /** Null when it is done, dead, not yet due or claimed by another process. */
  async claim(id: string, now: Date, leaseSeconds: number): Promise<ClaimedMessage | null> {
    return (await this.statements.run<ClaimedMessage & object>(CLAIM_ONE, [now, leaseSeconds, id]))[0] ?? null;
  }

  claimDue(
    queue: QueueName,
    now: Date,
    wanted: { readonly limit: number; readonly leaseSeconds: number; readonly overdueSeconds: number },
  ): Promise<ClaimedMessage[]> {
    const { limit, leaseSeconds, overdueSeconds } = wanted;
    const values = [now, leaseSeconds, queue, limit, overdueSeconds];
    return this.statements.run<ClaimedMessage & object>(CLAIM_DUE, values);
  }

  async listDue(queue: QueueName, now: Date, limit: number): Promise<string[]> {
    const rows = await this.statements.run<{ id: string }>(LIST_DUE, [now, queue, limit]);
    return rows.map((row) => row.id);
  }

  async renew(messages: readonly ClaimedMessage[], leaseSeconds: number): Promise<void> {
    await this.statements.run(RENEW, [messages.map(({ id }) => id), leaseSeconds]);
  }

  async release(messages: readonly ClaimedMessage[]): Promise<void> {
    await this.statements.run(RELEASE, [messages.map(({ id }) => id), messages.map(({ attempts }) => attempts)]);
  }

  /**
   * @param tx of what the job does, which then happens once
   * @returns false where it was done or given up before
   */
  async markDone(id: string, tx?: EntityManager): Promise<boolean> {
    return (await this.statements.run(MARK_DONE, [id], tx)).length > 0;
  }

  /** `superseded` when the lease has expired and another process has claimed the row since. */
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

  /** @returns whether this process still had the lease */
  async markDead(message: ClaimedMessage, reason: string): Promise<boolean> {
    return (await this.statements.run(MARK_DEAD, [message.id, message.attempts, reason])).length > 0;
  }

  /** Newest first. */
  listDead(limit: number): Promise<DeadLetter[]> {
    return this.statements.run<DeadLetter & object>(LIST_DEAD, [limit]);
  }

  /** Deletes at most `limit` rows that are done or dead for longer than this; returns how many. */
  async purge(doneDays: number, deadDays: number, limit: number): Promise<number> {
    const [row] = await this.statements.run<{ count: number }>(PURGE, [doneDays, deadDays, limit]);
    return row?.count ?? 0;
  }
}
