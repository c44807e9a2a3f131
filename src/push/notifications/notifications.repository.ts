import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import { Notification } from './notification.entity.js';

/** What an app wants to tell one person. */
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

  countOfUser(userId: string): Promise<number> {
    return this.notifications.countBy({ userId });
  }

  /** Of these people those whom the app may tell something now. */
  async listReachable(tx: EntityManager, appId: string, userIds: readonly string[]): Promise<Set<string>> {
    const rows = (await tx.query(
      `SELECT e.user_id FROM enrollments e JOIN users u ON u.id = e.user_id AND u.is_active
       WHERE e.app_id = $1 AND e.status = 'active' AND e.user_id = ANY($2::uuid[])`,
      [appId, userIds],
    )) as { user_id: string }[];
    return new Set(rows.map((row) => row.user_id));
  }

  /** Rows of any number in one statement, and one delivery per device. @returns how many deliveries there are to make */
  async insert(
    tx: EntityManager,
    appId: string,
    messages: readonly (Message & { readonly id: string })[],
  ): Promise<number> {
    await tx.query(
      `INSERT INTO notifications (id, app_id, user_id, title, body, data, ttl, expires_at)
       SELECT (m->>'id')::uuid, $1, (m->>'userId')::uuid, m->>'title', m->>'body', nullif(m->'data', 'null'::jsonb),
              (m->>'ttl')::int, now() + make_interval(secs => (m->>'ttl')::int)
       FROM jsonb_array_elements($2::jsonb) AS m`,
      [appId, JSON.stringify(messages)],
    );
    const ids = messages.map((message) => message.id);
    const [{ count }] = (await tx.query(
      `WITH made AS (
         INSERT INTO notification_deliveries (id, notification_id, app_id, device_id, platform)
         SELECT gen_random_uuid(), n.id, n.app_id, d.id, d.platform
         FROM notifications n JOIN push_devices d ON d.user_id = n.user_id AND d.app_id = n.app_id
         WHERE n.id = ANY($1::uuid[]) RETURNING notification_id
       ), counted AS (
         SELECT ids.id, count(made.notification_id)::int AS devices
         FROM unnest($1::uuid[]) AS ids(id) LEFT JOIN made ON made.notification_id = ids.id GROUP BY ids.id
       ), noted AS (
         UPDATE notifications n SET device_count = counted.devices,
           status = CASE WHEN counted.devices = 0 THEN 'no_devices' ELSE n.status END,
           completed_at = CASE WHEN counted.devices = 0 THEN now() END
         FROM counted WHERE n.id = counted.id RETURNING counted.devices
       )
       SELECT coalesce(sum(devices), 0)::int AS count FROM noted`,
      [ids],
    )) as [{ count: number }];
    return count;
  }

  /** Notifications over for so long that nobody asks about them any more; their deliveries go with them. */
  async purge(days: number): Promise<void> {
    await this.notifications.query(
      `DELETE FROM notifications WHERE id IN (
         SELECT id FROM notifications WHERE completed_at < now() - make_interval(days => $1) LIMIT 10000)`,
      [days],
    );
  }
}
