import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import { purgeInBatches } from '../../database/purge-in-batches.js';
import { Statements } from '../../database/statements.js';
import { ADMITTED } from '../../enrollment/admission/admission.sql.js';
import { DELETION_BEGUN } from '../../users/deletion-begun.sql.js';
import type { Message } from './message.js';
import { Notification } from './notification.entity.js';

export interface Audience {
  /** Index of the first user to whom the app cannot send notifications now; null if there is none. */
  readonly missing: number | null;
  /** Devices of all of them. */
  readonly devices: number;
}

/** `attempt` is also the fencing token: a later lease has a higher number. */
export interface LeasedBatch {
  readonly id: string;
  readonly attempt: number;
}

/**
 * Seconds of the first lease of a batch, longer than a statement may take. Each further lease is twice as long, up to
 * an hour.
 */
const FIRST_LEASE_SECONDS = 10;
/** A reader writes no batch that workers have failed to write more often than this. */
const ATTEMPTS_OF_READERS = 1;
/** Each notification is deleted with its deliveries. */
const PURGE_BATCH = 1_000;

/**
 * `message` contains the notifications: (id, app_id, user_id, title, body, data, ttl, created_at). It is joined with
 * devices without its texts, so that no plan reads these more than once. Deliveries are due since the request, before
 * those that became due later.
 */
const WRITE = `recipient AS MATERIALIZED (
    SELECT id, app_id, user_id, created_at FROM message
  ), target AS (
    SELECT r.id AS notification_id, r.app_id, d.id AS device_id, d.platform, r.created_at
    FROM recipient r JOIN push_devices d ON d.user_id = r.user_id AND d.app_id = r.app_id
  ), made AS (
    INSERT INTO notifications
      (id, app_id, user_id, title, body, data, ttl, created_at, expires_at, device_count, status, completed_at)
    SELECT m.id, m.app_id, m.user_id, m.title, m.body, m.data, m.ttl, m.created_at,
      m.created_at + make_interval(secs => m.ttl), coalesce(reached.devices, 0),
      CASE WHEN reached IS NULL THEN 'no_devices' ELSE 'queued' END,
      CASE WHEN reached IS NULL THEN now() END
    FROM message m LEFT JOIN (
      SELECT notification_id, count(*)::int AS devices FROM target GROUP BY notification_id
    ) AS reached ON reached.notification_id = m.id
  )
  INSERT INTO notification_deliveries (id, notification_id, app_id, device_id, platform, next_attempt_at)
  SELECT gen_random_uuid(), notification_id, app_id, device_id, platform, created_at FROM target`;
/** Planned for each set of users: for many users, a generic plan is several times slower. */
const AUDIENCE = `SELECT (min(target.n) FILTER (WHERE NOT coalesce(${ADMITTED}, false) OR ${DELETION_BEGUN}))::int - 1 AS missing,
    coalesce(sum(reached.devices), 0)::int AS devices
  FROM unnest($2::uuid[]) WITH ORDINALITY AS target(user_id, n)
  LEFT JOIN (apps a JOIN tenants t ON t.id = a.tenant_id) ON a.id = $1
  LEFT JOIN users u ON u.id = target.user_id
  LEFT JOIN enrollments e ON e.user_id = target.user_id AND e.app_id = $1
  LEFT JOIN (
    SELECT user_id, count(*) AS devices FROM push_devices WHERE app_id = $1 AND user_id = ANY ($2::uuid[]) GROUP BY user_id
  ) AS reached ON reached.user_id = target.user_id`;
const INSERT = {
  name: 'notifications_insert',
  text: `WITH message AS (
      SELECT $1::uuid AS id, $2::uuid AS app_id, $3::uuid AS user_id, now() AS created_at, m.*
      FROM jsonb_to_record($4::jsonb) AS m (title text, body text, data jsonb, ttl int)
    ), ${WRITE}`,
};
const INSERT_BATCH = {
  name: 'notifications_insert_batch',
  text: 'INSERT INTO notification_batches (id, app_id, user_ids, messages) VALUES ($1, $2, $3::uuid[], $4::jsonb)',
};
/** The time of the next attempt is written first, so that later batches can be taken however this one ends. */
const LEASE_BATCH = {
  name: 'notifications_lease_batch',
  text: `UPDATE notification_batches SET attempts = attempts + 1,
      next_attempt_at = now() + least(${FIRST_LEASE_SECONDS} * power(2, least(attempts, 20)), 3600) * interval '1 second'
    WHERE id = (
      SELECT id FROM notification_batches WHERE app_id = $1 AND next_attempt_at <= now()
      ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING id, attempts AS attempt`,
};
/** Abandoned: no worker takes it any more. */
const GIVE_UP_BATCH = {
  name: 'notifications_give_up_batch',
  text: `UPDATE notification_batches SET next_attempt_at = 'infinity' WHERE id = $1 AND attempts = $2 RETURNING id`,
};
/** The notification as it will be written: $3 is its index in the batch. */
const FIND_IN_BATCH = {
  name: 'notifications_find_in_batch',
  text: `SELECT b.app_id AS "appId", u.id AS "userId", m.title, m.body, m.data, m.ttl,
      CASE WHEN b.next_attempt_at = 'infinity' THEN 'failed' ELSE 'queued' END AS status,
      (SELECT count(*)::int FROM push_devices d WHERE d.user_id = u.id AND d.app_id = b.app_id) AS "deviceCount",
      0 AS "deliveredCount", 0 AS "failedCount", b.created_at AS "createdAt",
      b.created_at + make_interval(secs => m.ttl) AS "expiresAt", NULL::timestamptz AS "completedAt"
    FROM notification_batches b JOIN users u ON u.id = b.user_ids[$3::int + 1]
      CROSS JOIN jsonb_to_record(coalesce(b.messages -> $3::int, b.messages -> 0))
        AS m (title text, body text, data jsonb, ttl int)
    WHERE b.app_id = $1 AND b.id = $2`,
};
const NEWEST_BATCHES = {
  name: 'notifications_newest_batches',
  text: `SELECT id FROM notification_batches WHERE app_id = $1 AND attempts <= ${ATTEMPTS_OF_READERS}
    ORDER BY id DESC LIMIT $2`,
};
/**
 * One statement, so that a batch is either pending or written. A second writer does nothing, and does not wait. The app
 * is locked before the batch, as in its deletion; users who are being deleted, or were, are left out. A query that locks rows keeps
 * complete rows of everything else that it reads, so users are locked in a query that reads ids only. All other parts
 * read the texts once, together with the users, because 500 of the longest texts are ten megabytes.
 */
export const WRITE_BATCH = {
  name: 'notifications_write_batch',
  text: `WITH app AS (
      SELECT a.id FROM notification_batches b JOIN apps a ON a.id = b.app_id WHERE b.id = $1 FOR KEY SHARE OF a
    ), mine AS (
      SELECT b.id FROM app JOIN notification_batches b ON b.app_id = app.id WHERE b.id = $1 AND b.attempts <= $2
      FOR UPDATE OF b SKIP LOCKED
    ), batch AS (
      DELETE FROM notification_batches b USING mine WHERE b.id = mine.id
      RETURNING b.id, b.app_id, b.user_ids, b.messages, b.created_at
    ), present AS (
      SELECT u.id FROM users u WHERE u.id = ANY ((SELECT user_ids FROM batch)::uuid[]) AND NOT ${DELETION_BEGUN}
      ORDER BY u.id FOR KEY SHARE
    ), message AS (
      SELECT overlay(batch.id::text PLACING lpad(to_hex(t.n - 1), 3, '0') FROM 34)::uuid AS id, batch.app_id,
        t.user_id, batch.created_at, m.title, m.body, m.data, m.ttl
      FROM batch CROSS JOIN ROWS FROM (unnest(batch.user_ids), jsonb_array_elements(batch.messages))
          WITH ORDINALITY AS t (user_id, value, n)
        CROSS JOIN jsonb_to_record(coalesce(t.value, (SELECT messages -> 0 FROM batch)))
          AS m (title text, body text, data jsonb, ttl int)
      WHERE t.user_id = ANY (ARRAY(SELECT id FROM present))
    ), ${WRITE}`,
};

const DELETE_OF_USER = {
  name: 'notifications_delete_of_user',
  text: `WITH gone AS (
      DELETE FROM notifications WHERE id = ANY (ARRAY(SELECT id FROM notifications WHERE user_id = $1 LIMIT ${PURGE_BATCH}))
      RETURNING id)
    SELECT count(*)::int AS count FROM gone`,
};

/** Notifications, and accepted batches of them that are not yet written. */
@Injectable()
export class NotificationsRepository {
  constructor(
    @InjectRepository(Notification) private readonly notifications: Repository<Notification>,
    private readonly statements: Statements,
  ) {}

  find(id: string): Promise<Notification | null> {
    return this.notifications.findOneBy({ id });
  }

  async readAudience(tx: EntityManager, appId: string, userIds: readonly string[]): Promise<Audience> {
    return (await tx.query<Audience[]>(AUDIENCE, [appId, userIds]))[0]!;
  }

  /** Inserts one delivery for each device. */
  async insert(
    tx: EntityManager,
    { id, appId, userId }: Pick<Notification, 'id' | 'appId' | 'userId'>,
    message: Message,
  ): Promise<void> {
    await this.statements.run(INSERT, [id, appId, userId, JSON.stringify(message)], tx);
  }

  /** @param batch with one message for all users, or one for each */
  async insertBatch(
    tx: EntityManager,
    batch: {
      readonly id: string;
      readonly appId: string;
      readonly userIds: readonly string[];
      readonly messages: readonly Message[];
    },
  ): Promise<void> {
    const { id, appId, userIds, messages } = batch;
    await this.statements.run(INSERT_BATCH, [id, appId, userIds, JSON.stringify(messages)], tx);
  }

  /** The oldest due batch that no other process is writing. It is due again later unless it is written. */
  async leaseOldestBatch(appId: string): Promise<LeasedBatch | null> {
    return (await this.statements.run<LeasedBatch & object>(LEASE_BATCH, [appId]))[0] ?? null;
  }

  /** @returns false if it is written, or another process has taken it in the meantime */
  async giveBatchUp(tx: EntityManager, { id, attempt }: LeasedBatch): Promise<boolean> {
    return (await this.statements.run(GIVE_UP_BATCH, [id, attempt], tx)).length > 0;
  }

  /** An accepted notification that is not yet written. Null for a user who was deleted. */
  async findInBatch(appId: string, batchId: string, index: number): Promise<Omit<Notification, 'id'> | null> {
    return (await this.statements.run<Omit<Notification, 'id'>>(FIND_IN_BATCH, [appId, batchId, index]))[0] ?? null;
  }

  /** @returns their ids, without those that could not be written */
  async listNewestBatches(appId: string, limit: number): Promise<string[]> {
    return (await this.statements.run<{ id: string }>(NEWEST_BATCHES, [appId, limit])).map(({ id }) => id);
  }

  /**
   * Writes the notifications of a batch, with one delivery for each device. Does nothing if that has been done, if another process
   * does it now, or if there has been a later attempt.
   */
  async writeBatch(id: string, attempt = ATTEMPTS_OF_READERS): Promise<void> {
    await this.statements.run(WRITE_BATCH, [id, attempt]);
  }

  /** Deletes notifications that ended longer ago than this, together with their deliveries. */
  purge(age: string): Promise<void> {
    return purgeInBatches(this.statements, { table: 'notifications', column: 'completed_at', age, batch: PURGE_BATCH });
  }

  async hasMoreThan(tx: EntityManager, userId: string, count: number): Promise<boolean> {
    const text = 'SELECT 1 FROM notifications WHERE user_id = $1 OFFSET $2 LIMIT 1';
    return (await tx.query<unknown[]>(text, [userId, count])).length > 0;
  }

  /** Deletes all notifications of a user, together with their deliveries, in batches. */
  async deleteOfUser(userId: string): Promise<void> {
    for (let count = PURGE_BATCH; count === PURGE_BATCH;)
      count = (await this.statements.run<{ count: number }>(DELETE_OF_USER, [userId]))[0]!.count;
  }

  /** Deletes batches that were abandoned and are older than this. */
  purgeBatches(age: string): Promise<void> {
    const where = `next_attempt_at = 'infinity'`;
    return purgeInBatches(this.statements, { table: 'notification_batches', column: 'created_at', age, where });
  }
}
