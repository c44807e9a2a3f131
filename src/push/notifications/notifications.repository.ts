import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import { Statements } from '../../database/statements.js';
import { ADMITTED } from '../../enrollment/admission.sql.js';
import type { Message } from './message.js';
import { Notification } from './notification.entity.js';

export interface Audience {
  /** Index of the first user to whom the app cannot send notifications now; null if it can to all. */
  readonly missing: number | null;
  /** Devices of all of them. */
  readonly devices: number;
}

/** `attempt` is also the fence: a later lease has a higher number. */
export interface LeasedBatch {
  readonly id: string;
  readonly attempt: number;
}

/** The first lease of a batch in seconds; each further one is twice as long, up to an hour. Longer than a statement may take. */
const FIRST_LEASE = 10;
/** Who reads writes no batch that workers have failed to write more often than this. */
const ATTEMPTS_OF_READERS = 1;

/**
 * Where `message` says what to whom: (id, app_id, user_id, title, body, data, ttl, created_at). It is joined with devices
 * without its texts: no plan may read them more than once.
 */
const WRITE = `recipient AS MATERIALIZED (
    SELECT id, app_id, user_id FROM message
  ), target AS (
    SELECT r.id AS notification_id, r.app_id, d.id AS device_id, d.platform
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
  INSERT INTO notification_deliveries (id, notification_id, app_id, device_id, platform)
  SELECT gen_random_uuid(), notification_id, app_id, device_id, platform FROM target`;
/** Planned for these users: for so many at once, a plan for any number is several times slower. */
const AUDIENCE = `SELECT (min(target.n) FILTER (WHERE NOT coalesce(${ADMITTED}, false)))::int - 1 AS missing,
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
/** The time of the next attempt is written first: however this one ends, the batches after it come meanwhile. */
const LEASE_BATCH = {
  name: 'notifications_lease_batch',
  text: `UPDATE notification_batches SET attempts = attempts + 1,
      next_attempt_at = now() + least(${FIRST_LEASE} * power(2, least(attempts, 20)), 3600) * interval '1 second'
    WHERE id = (
      SELECT id FROM notification_batches WHERE app_id = $1 AND next_attempt_at <= now()
      ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING id, attempts AS attempt`,
};
const BATCH_WAITS = {
  name: 'notifications_batch_waits',
  text: 'SELECT id FROM notification_batches WHERE id = $1',
};
const NEWEST_BATCHES = {
  name: 'notifications_newest_batches',
  text: `SELECT id FROM notification_batches WHERE app_id = $1 AND attempts <= ${ATTEMPTS_OF_READERS}
    ORDER BY id DESC LIMIT $2`,
};
/**
 * One statement, so that a batch is either there or written. Who comes second waits and finds nothing to do. The app is
 * locked before the batch, as by its deletion; users who were deleted since are left out. A query that locks rows keeps
 * whole rows of all else that it reads, for each of its own: so users are locked in one that sees ids only. Everything
 * else reads the texts once, side by side with the users, because 500 of the longest are ten megabytes.
 */
export const WRITE_BATCH = {
  name: 'notifications_write_batch',
  text: `WITH app AS (
      SELECT a.id FROM notification_batches b JOIN apps a ON a.id = b.app_id WHERE b.id = $1 FOR KEY SHARE OF a
    ), batch AS (
      DELETE FROM notification_batches b USING app WHERE b.id = $1 AND b.app_id = app.id AND b.attempts <= $2
      RETURNING b.id, b.app_id, b.user_ids, b.messages, b.created_at
    ), present AS (
      SELECT u.id FROM users u WHERE u.id = ANY ((SELECT user_ids FROM batch)::uuid[]) ORDER BY u.id FOR KEY SHARE
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

/** Notifications, and batches of them that are accepted and not yet written. */
@Injectable()
export class NotificationsRepository {
  constructor(
    @InjectRepository(Notification) private readonly notifications: Repository<Notification>,
    private readonly statements: Statements,
  ) {}

  find(id: string): Promise<Notification | null> {
    return this.notifications.findOneBy({ id });
  }

  async judgeAudience(tx: EntityManager, appId: string, userIds: readonly string[]): Promise<Audience> {
    return (await tx.query<Audience[]>(AUDIENCE, [appId, userIds]))[0]!;
  }

  /** With one delivery for each device. */
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

  /** The oldest that is due and that no other process writes. It is due again later, unless it is written. */
  async leaseOldestBatch(appId: string): Promise<LeasedBatch | null> {
    return (await this.statements.run<LeasedBatch & object>(LEASE_BATCH, [appId]))[0] ?? null;
  }

  async isWaiting(batchId: string): Promise<boolean> {
    return (await this.statements.run(BATCH_WAITS, [batchId])).length > 0;
  }

  /** @returns their ids, without those that could not be written */
  async listNewestBatches(appId: string, limit: number): Promise<string[]> {
    return (await this.statements.run<{ id: string }>(NEWEST_BATCHES, [appId, limit])).map(({ id }) => id);
  }

  /**
   * Writes the notifications of a batch, with one delivery for each device. Does nothing if that has been done, or if there
   * has been a later attempt.
   */
  async writeBatch(id: string, attempt = ATTEMPTS_OF_READERS): Promise<void> {
    await this.statements.run(WRITE_BATCH, [id, attempt]);
  }

  /** Deletes notifications that ended long ago, together with their deliveries. */
  async purge(days: number): Promise<void> {
    await this.notifications.query(
      `DELETE FROM notifications WHERE id IN (
         SELECT id FROM notifications WHERE completed_at < now() - make_interval(days => $1) LIMIT 10000)`,
      [days],
    );
  }
}
