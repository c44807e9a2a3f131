import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Statements } from '../../database/statements.js';
import { ADMITTED } from '../../enrollment/admission/admission.sql.js';
import type { Platform } from '../devices/push-device.entity.js';
import type { NotificationStatus } from '../notifications/notification.entity.js';
import type { DeliveryError, DeliveryTime, Recipient } from './delivery.rules.js';

/** A leased delivery with everything that its attempt needs, as read when it was leased. */
export interface LeasedDelivery extends DeliveryTime, Recipient {
  readonly id: string;
  /** This attempt included; also the fence: a later lease has a higher number. */
  readonly attempt: number;
  readonly notificationId: string;
  readonly appId: string;
  readonly userId: string;
  readonly deviceId: string;
  readonly platform: Platform;
  readonly lastError: DeliveryError | null;
  readonly title: string;
  readonly body: string;
  readonly data: Record<string, unknown> | null;
  /** Null if the device was removed. */
  readonly sealedToken: string | null;
  /** A batch of the app is due that was accepted before the first of those that were leased together was due. */
  readonly batchIsFirst: boolean;
}

/** The outcome of an attempt: ended, or to be retried. */
export type Settlement = { readonly delivery: LeasedDelivery; readonly error: DeliveryError | null } & (
  | { readonly status: 'delivered' | 'failed' | 'expired' }
  | { readonly status: 'queued'; readonly retryInSeconds: number }
);

export interface DeliveryCount {
  readonly id: string;
  readonly devices: number;
  readonly delivered: number;
  readonly failed: number;
  readonly expired: number;
}

/** By the database's clock alone: a process whose clock is wrong must neither steal an attempt nor drop one. */
const LEASE = {
  name: 'deliveries_lease',
  text: `WITH due AS (
      SELECT id, next_attempt_at AS since FROM notification_deliveries
      WHERE app_id = $1 AND status = 'queued' AND next_attempt_at <= now()
      ORDER BY next_attempt_at LIMIT $2 FOR UPDATE SKIP LOCKED
    ), leased AS (
      UPDATE notification_deliveries d
      SET attempts = d.attempts + 1, next_attempt_at = now() + make_interval(secs => $3)
      FROM due WHERE d.id = due.id RETURNING d.*
    )
    SELECT l.id, l.attempts AS attempt, l.notification_id AS "notificationId", l.app_id AS "appId",
      n.user_id AS "userId", l.device_id AS "deviceId", l.platform, l.error AS "lastError",
      n.title, n.body, n.data, n.ttl, extract(epoch FROM n.expires_at - now())::float8 AS "secondsLeft",
      v.id IS NOT NULL AS "hasDevice", v.sealed_token AS "sealedToken",
      coalesce(v.user_id = n.user_id, false) AS "isTheirDevice",
      a.push_enabled AND ${ADMITTED} AS "isAdmitted",
      EXISTS (SELECT FROM notification_batches WHERE app_id = $1 AND next_attempt_at <= now()
        AND created_at < (SELECT min(since) FROM due)) AS "batchIsFirst"
    FROM leased l
    JOIN notifications n ON n.id = l.notification_id
    JOIN users u ON u.id = n.user_id
    JOIN apps a ON a.id = l.app_id
    JOIN tenants t ON t.id = a.tenant_id
    LEFT JOIN enrollments e ON e.user_id = n.user_id AND e.app_id = l.app_id
    LEFT JOIN push_devices v ON v.id = l.device_id AND v.app_id = l.app_id`,
};
const RELEASE = {
  name: 'deliveries_release',
  text: `UPDATE notification_deliveries d SET next_attempt_at = now()
    FROM unnest($1::uuid[], $2::int[]) AS mine(id, attempts)
    WHERE d.id = mine.id AND d.attempts = mine.attempts AND d.status = 'queued'`,
};
/** One index lookup for each app with queued deliveries, however many it has; and apps whose notifications are to be written. */
const LIST_DUE = {
  name: 'deliveries_list_due',
  text: `WITH RECURSIVE first AS (
      (SELECT app_id, next_attempt_at FROM notification_deliveries WHERE status = 'queued'
       ORDER BY app_id, next_attempt_at LIMIT 1)
      UNION ALL
      SELECT next.* FROM first, LATERAL (
        SELECT app_id, next_attempt_at FROM notification_deliveries
        WHERE status = 'queued' AND app_id > first.app_id ORDER BY app_id, next_attempt_at LIMIT 1) AS next
    )
    SELECT app_id AS "appId" FROM first WHERE next_attempt_at <= now()
    UNION SELECT app_id FROM notification_batches WHERE next_attempt_at <= now()`,
};
/** Always in the same order, to avoid deadlocks between processes. */
const LOCK = {
  name: 'deliveries_lock',
  text: 'SELECT id FROM notifications WHERE id = ANY($1::uuid[]) ORDER BY id FOR NO KEY UPDATE',
};
/** Delivered rows are written without checking the lease: the delivery has happened, even if another worker has the row now. */
const SETTLE = {
  name: 'deliveries_settle',
  text: `UPDATE notification_deliveries d SET status = s.status, error = s.error,
      completed_at = CASE WHEN s.status <> 'queued' THEN now() END,
      next_attempt_at = CASE WHEN s.status = 'queued' THEN now() + make_interval(secs => s.seconds)
        ELSE d.next_attempt_at END
    FROM jsonb_to_recordset($1::jsonb) AS s(id uuid, attempt int, status text, error text, seconds float8)
    WHERE d.id = s.id AND d.status = 'queued' AND (d.attempts = s.attempt OR s.status = 'delivered')
    RETURNING d.id`,
};
const COUNT = {
  name: 'deliveries_count',
  text: `SELECT n.id, n.device_count AS devices, count(*) FILTER (WHERE d.status = 'delivered')::int AS delivered,
      count(*) FILTER (WHERE d.status = 'failed')::int AS failed,
      count(*) FILTER (WHERE d.status = 'expired')::int AS expired
    FROM notifications n JOIN notification_deliveries d ON d.notification_id = n.id
    WHERE n.id = ANY($1::uuid[]) GROUP BY n.id`,
};
const NOTE = {
  name: 'deliveries_note',
  text: `UPDATE notifications n SET delivered_count = s.delivered, failed_count = s.failed,
      status = coalesce(s.status, n.status), completed_at = CASE WHEN s.status IS NOT NULL THEN now() END
    FROM jsonb_to_recordset($1::jsonb) AS s(id uuid, delivered int, failed int, status text) WHERE n.id = s.id`,
};

/** Every statement on `notification_deliveries` except the inserts. */
@Injectable()
export class DeliveriesRepository {
  constructor(private readonly statements: Statements) {}

  lease(appId: string, limit: number, leaseSeconds: number): Promise<LeasedDelivery[]> {
    return this.statements.run<LeasedDelivery & object>(LEASE, [appId, limit, leaseSeconds]);
  }

  async release(deliveries: readonly LeasedDelivery[]): Promise<void> {
    const values = [deliveries.map(({ id }) => id), deliveries.map(({ attempt }) => attempt)];
    await this.statements.run(RELEASE, values);
  }

  async listDue(): Promise<string[]> {
    return (await this.statements.run<{ appId: string }>(LIST_DUE, [])).map(({ appId }) => appId);
  }

  /** No other transaction counts the deliveries of these notifications until this one ends. */
  async lock(tx: EntityManager, notificationIds: readonly string[]): Promise<void> {
    await this.statements.run(LOCK, [notificationIds], tx);
  }

  /** @returns ids of the deliveries that this process still had the lease for */
  async settle(tx: EntityManager, settlements: readonly Settlement[]): Promise<Set<string>> {
    const rows = settlements.map((each) => ({
      id: each.delivery.id,
      attempt: each.delivery.attempt,
      status: each.status,
      error: each.error,
      seconds: each.status === 'queued' ? each.retryInSeconds : null,
    }));
    const settled = await this.statements.run<{ id: string }>(SETTLE, [JSON.stringify(rows)], tx);
    return new Set(settled.map(({ id }) => id));
  }

  count(tx: EntityManager, notificationIds: readonly string[]): Promise<DeliveryCount[]> {
    return this.statements.run<DeliveryCount & object>(COUNT, [notificationIds], tx);
  }

  /** @param notes `failed` is what failed or expired; `status` null while some are in progress */
  async note(
    tx: EntityManager,
    notes: readonly { id: string; delivered: number; failed: number; status: NotificationStatus | null }[],
  ): Promise<void> {
    await this.statements.run(NOTE, [JSON.stringify(notes)], tx);
  }
}
