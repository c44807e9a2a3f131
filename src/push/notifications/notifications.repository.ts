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

/** Where `message` says what to whom: (id, app_id, user_id, title, body, data, ttl, created_at). */
const WRITE = `target AS (
    SELECT m.id AS notification_id, m.app_id, d.id AS device_id, d.platform
    FROM message m JOIN push_devices d ON d.user_id = m.user_id AND d.app_id = m.app_id
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
const OLDEST_BATCH = {
  name: 'notifications_oldest_batch',
  text: 'SELECT id FROM notification_batches WHERE app_id = $1 ORDER BY id LIMIT 1',
};
const NEWEST_BATCHES = {
  name: 'notifications_newest_batches',
  text: 'SELECT id FROM notification_batches WHERE app_id = $1 ORDER BY id DESC LIMIT $2',
};
/**
 * One statement, so that a batch is either there or written. Who comes second waits and finds nothing to do. The app is
 * locked before the batch, as by its deletion; users who were deleted since are left out.
 */
const WRITE_BATCH = {
  name: 'notifications_write_batch',
  text: `WITH app AS (
      SELECT a.id FROM notification_batches b JOIN apps a ON a.id = b.app_id WHERE b.id = $1 FOR KEY SHARE OF a
    ), batch AS (
      DELETE FROM notification_batches b USING app WHERE b.id = $1 AND b.app_id = app.id
      RETURNING b.id, b.app_id, b.user_ids, b.messages, b.created_at
    ), content AS (
      SELECT c.n, m.* FROM batch, jsonb_array_elements(messages) WITH ORDINALITY AS c(value, n),
        jsonb_to_record(c.value) AS m (title text, body text, data jsonb, ttl int)
    ), message AS (
      SELECT overlay(batch.id::text PLACING lpad(to_hex(t.n - 1), 3, '0') FROM 34)::uuid AS id, batch.app_id,
        u.id AS user_id, batch.created_at, content.title, content.body, content.data, content.ttl
      FROM batch CROSS JOIN unnest(batch.user_ids) WITH ORDINALITY AS t(user_id, n)
      JOIN content ON content.n = CASE WHEN jsonb_array_length(batch.messages) = 1 THEN 1 ELSE t.n END
      JOIN users u ON u.id = t.user_id FOR KEY SHARE OF u
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

  /** @returns its id */
  async findOldestBatch(appId: string): Promise<string | null> {
    return (await this.statements.run<{ id: string }>(OLDEST_BATCH, [appId]))[0]?.id ?? null;
  }

  /** @returns their ids */
  async listNewestBatches(appId: string, limit: number): Promise<string[]> {
    return (await this.statements.run<{ id: string }>(NEWEST_BATCHES, [appId, limit])).map(({ id }) => id);
  }

  /** Writes the notifications of a batch, with one delivery for each device. Does nothing if that has been done. */
  async writeBatch(id: string): Promise<void> {
    await this.statements.run(WRITE_BATCH, [id]);
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
