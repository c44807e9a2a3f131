import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import { ADMITTED } from '../../enrollment/admission.sql.js';
import { Notification } from './notification.entity.js';

/** A notification to one user, before it is stored. */
export interface Message {
  readonly userId: string;
  readonly title: string;
  readonly body: string;
  readonly data: Record<string, unknown> | null;
  /** Seconds. */
  readonly ttl: number;
}

@Injectable()
export class NotificationsRepository {
  constructor(@InjectRepository(Notification) private readonly notifications: Repository<Notification>) {}

  find(id: string): Promise<Notification | null> {
    return this.notifications.findOneBy({ id });
  }

  /** Those of these users to whom the app can send notifications now. */
  async listReachable(tx: EntityManager, appId: string, userIds: readonly string[]): Promise<Set<string>> {
    const rows = (await tx.query(
      `SELECT e.user_id FROM enrollments e JOIN users u ON u.id = e.user_id
       JOIN apps a ON a.id = e.app_id JOIN tenants t ON t.id = a.tenant_id
       WHERE e.app_id = $1 AND e.user_id = ANY($2::uuid[]) AND ${ADMITTED}`,
      [appId, userIds],
    )) as { user_id: string }[];
    return new Set(rows.map((row) => row.user_id));
  }

  /** Any number in one statement, with one delivery per device. @returns the number of deliveries */
  async insert(
    tx: EntityManager,
    appId: string,
    messages: readonly (Message & { readonly id: string })[],
  ): Promise<number> {
    const [{ count }] = (await tx.query(
      `WITH message AS (
         SELECT * FROM jsonb_to_recordset($2::jsonb)
           AS m (id uuid, "userId" uuid, title text, body text, data jsonb, ttl int)
       ), target AS (
         SELECT m.id AS notification_id, d.id AS device_id, d.platform
         FROM message m JOIN push_devices d ON d.user_id = m."userId" AND d.app_id = $1
       ), made AS (
         INSERT INTO notifications
           (id, app_id, user_id, title, body, data, ttl, expires_at, device_count, status, completed_at)
         SELECT m.id, $1, m."userId", m.title, m.body, m.data, m.ttl, now() + make_interval(secs => m.ttl),
           coalesce(reached.devices, 0),
           CASE WHEN reached IS NULL THEN 'no_devices' ELSE 'queued' END,
           CASE WHEN reached IS NULL THEN now() END
         FROM message m LEFT JOIN (
           SELECT notification_id, count(*)::int AS devices FROM target GROUP BY notification_id
         ) AS reached ON reached.notification_id = m.id
       ), due AS (
         INSERT INTO notification_deliveries (id, notification_id, app_id, device_id, platform)
         SELECT gen_random_uuid(), notification_id, $1, device_id, platform FROM target RETURNING id
       )
       SELECT count(*)::int AS count FROM due`,
      [appId, JSON.stringify(messages)],
    )) as [{ count: number }];
    return count;
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
