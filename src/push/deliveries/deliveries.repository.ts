import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Statements } from '../../database/statements.js';
import { ADMITTED } from '../../enrollment/admission/admission.sql.js';
import type { Platform } from '../devices/push-device.entity.js';
import type { NotificationStatus } from '../notifications/notification.entity.js';
import type { DeliveryError, DeliveryTime, Recipient } from './delivery.rules.js';

/** A leased delivery with everything that its attempt needs, as it was when leased. */
export interface LeasedDelivery extends DeliveryTime, Recipient {
  readonly id: string;
  /** Number of attempts including this one. It is also the fence: a later lease has a higher number. */
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
  /** The device is silent, and this is the only attempt that checks whether it answers again. */
  readonly isProbe: boolean;
}

export interface Lease {
  readonly leased: LeasedDelivery[];
  /** Whether as many deliveries were due as were requested, including those that wait for a silent device. */
  readonly isFull: boolean;
  /**
   * A batch of the app is due, and was accepted before the first of these deliveries was due; a batch always precedes
   * retries.
   */
  readonly batchIsFirst: boolean;
}

/** The outcome of an attempt: ended, or to be retried. */
export type DeliveryOutcome = { readonly delivery: LeasedDelivery; readonly error: DeliveryError | null } & (
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

const DUE = `SELECT id, notification_id, app_id, device_id, platform, attempts, error, next_attempt_at
    FROM notification_deliveries WHERE app_id = $1 AND status = 'queued' AND next_attempt_at <= now()`;
const IN_TURN = 'ORDER BY next_attempt_at LIMIT $2 FOR UPDATE SKIP LOCKED';
/**
 * Seconds after which a delivery to a device that is put aside is checked again; a quarter of the age of its
 * notification, if that is longer.
 */
const FIRST_LOOK_SECONDS = 20;
/**
 * Number of silent devices that are tried again for each one that has answered: a thousand in ten rounds, if all of
 * them answer.
 */
const TRIED_AGAIN = 2;
/**
 * The devices to try are drawn from this number of silent devices of the server: those that would be silent for
 * longest.
 */
const DRAWN_FROM = 1_000;

/**
 * Uses only the clock of the database: a process whose clock is wrong must neither steal an attempt nor drop one. First
 * attempts come before retries, and have their own index; retries are only looked for if there are fewer first attempts
 * than requested.
 *
 * Of the deliveries to a silent device (docs/decisions/0097), one at a time is sent, once the `silent_until` of the
 * device has passed: the process that moves this time, in this statement, leases the delivery. The others wait without
 * a lease and take up no place; with `ttl` 0 they fail. Waiting ones are checked before `silent_until`, in case the
 * device answers again.
 *
 * - `fresh`: due first attempts
 * - `again`: due retries
 * - `due`: both, as many as requested
 * - `found`: these, with everything that the attempt needs
 * - `silent`: those to silent devices that would be sent otherwise, numbered for each device in the order of sending
 * - `probed`: silent devices whose time is over, which now get one attempt
 * - `judged`: `found`, with the decision: the one attempt to a silent device (`isProbe`), put aside (`isPutAside`), and
 *   whether it waits for its device (`waits`)
 * - `leased`: leases what does not wait
 * - `waiting`: sets the time when the others are checked again
 */
export const LEASE = {
  name: 'deliveries_lease',
  text: `WITH fresh AS (${DUE} AND attempts = 0 ${IN_TURN}
    ), again AS (${DUE} AND attempts > 0 AND (SELECT count(*) FROM fresh) < $2 ${IN_TURN}
    ), due AS (
      SELECT * FROM (SELECT * FROM fresh UNION ALL SELECT * FROM again) AS d
      ORDER BY attempts > 0, next_attempt_at LIMIT $2
    ), found AS (
      SELECT due.id, due.attempts + 1 AS attempt, due.next_attempt_at AS since, due.notification_id AS "notificationId",
        due.app_id AS "appId", n.user_id AS "userId", due.device_id AS "deviceId", due.platform, due.error AS "lastError",
        n.title, n.body, n.data, n.ttl, n.created_at, n.expires_at,
        extract(epoch FROM n.expires_at - now())::float8 AS "secondsLeft",
        v.id IS NOT NULL AS "hasDevice", v.sealed_token AS "sealedToken", v.silent_until,
        coalesce(v.user_id = n.user_id, false) AS "isTheirDevice",
        a.push_enabled AND ${ADMITTED} AS "isAdmitted"
      FROM due
      JOIN notifications n ON n.id = due.notification_id
      JOIN users u ON u.id = n.user_id
      JOIN apps a ON a.id = due.app_id
      JOIN tenants t ON t.id = a.tenant_id
      LEFT JOIN enrollments e ON e.user_id = n.user_id AND e.app_id = due.app_id
      LEFT JOIN push_devices v ON v.id = due.device_id AND v.app_id = due.app_id
    ), silent AS (
      SELECT id, "deviceId", row_number() OVER (PARTITION BY "deviceId" ORDER BY attempt > 1, since) AS turn
      FROM found WHERE silent_until IS NOT NULL AND "isTheirDevice" AND "isAdmitted" AND (ttl = 0 OR expires_at > now())
    ), probed AS (
      UPDATE push_devices SET silent_until = now() + make_interval(secs => $3)
      WHERE id = ANY (ARRAY(
        SELECT id FROM push_devices WHERE id = ANY (ARRAY(SELECT "deviceId" FROM silent)) AND silent_until <= now()
        FOR NO KEY UPDATE SKIP LOCKED))
      RETURNING id
    ), judged AS (
      SELECT found.*, probed.id IS NOT NULL AS "isProbe", silent.id IS NOT NULL AND probed.id IS NULL AS "isPutAside",
        silent.id IS NOT NULL AND probed.id IS NULL AND ttl > 0 AS waits
      FROM found LEFT JOIN silent ON silent.id = found.id
        LEFT JOIN probed ON probed.id = silent."deviceId" AND silent.turn = 1
    ), leased AS (
      UPDATE notification_deliveries SET attempts = attempts + 1, next_attempt_at = now() + make_interval(secs => $3)
      WHERE id = ANY (ARRAY(SELECT id FROM judged WHERE NOT waits))
    ), waiting AS (
      UPDATE notification_deliveries d SET next_attempt_at = least(
        CASE WHEN j.silent_until > now() THEN j.silent_until ELSE now() + interval '${FIRST_LOOK_SECONDS} seconds' END,
        now() + greatest(interval '${FIRST_LOOK_SECONDS} seconds', (now() - j.created_at) / 4), j.expires_at)
      FROM judged j WHERE d.id = j.id AND j.waits AND d.id = ANY (ARRAY(SELECT id FROM judged WHERE waits))
    )
    SELECT judged.*, EXISTS (SELECT FROM notification_batches WHERE app_id = $1 AND next_attempt_at <= now()
        AND created_at < (SELECT CASE WHEN bool_or(attempt > 1) THEN 'infinity' ELSE min(since) END FROM found)
      ) AS "batchIsFirst"
    FROM judged`,
};
const RELEASE = {
  name: 'deliveries_release',
  text: `UPDATE notification_deliveries d SET next_attempt_at = now()
    FROM unnest($1::uuid[], $2::int[]) AS mine(id, attempts)
    WHERE d.id = mine.id AND d.attempts = mine.attempts AND d.status = 'queued'`,
};
/**
 * One index lookup for each app with queued deliveries, whatever their number; also returns apps with batches to write.
 */
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
/**
 * Writes delivered rows without checking the lease, because the delivery has happened even if another worker has the
 * row now. A device that has answered is no longer silent. If it was put aside, a few other silent devices of the same
 * app and server are tried again, at most one per user (docs/decisions/0097). They are drawn at random, so that two
 * processes rarely draw the same ones.
 *
 * - `settled`: writes the outcomes
 * - `answering`: devices that have answered, and are no longer silent
 * - `servers`: the servers of those that were put aside, with the number of other devices to try
 * - `tried_again`: draws these devices, and makes them due
 */
export const RECORD_OUTCOMES = {
  name: 'deliveries_settle',
  text: `WITH settled AS (
      UPDATE notification_deliveries d SET status = s.status, error = s.error,
        completed_at = CASE WHEN s.status <> 'queued' THEN now() END,
        next_attempt_at = CASE WHEN s.status = 'queued' THEN now() + make_interval(secs => s.seconds)
          ELSE d.next_attempt_at END
      FROM jsonb_to_recordset($1::jsonb) AS s(id uuid, attempt int, status text, error text, seconds float8, probe boolean)
      WHERE d.id = s.id AND d.status = 'queued' AND (d.attempts = s.attempt OR s.status = 'delivered')
      RETURNING d.id, d.device_id, d.status, s.probe
    ), answering AS (
      UPDATE push_devices SET unanswered = 0, silent_until = NULL
      WHERE unanswered > 0 AND id = ANY (ARRAY(
        SELECT id FROM push_devices WHERE unanswered > 0
          AND id = ANY (ARRAY(SELECT device_id FROM settled WHERE status = 'delivered')) ORDER BY id FOR NO KEY UPDATE))
      RETURNING id, app_id, silent_host
    ), servers AS (
      SELECT app_id, silent_host, ${TRIED_AGAIN} * count(*) AS most FROM answering
      WHERE id = ANY (ARRAY(SELECT device_id FROM settled WHERE status = 'delivered' AND probe)) GROUP BY app_id, silent_host
    ), tried_again AS (
      UPDATE push_devices SET silent_until = now() WHERE id = ANY (ARRAY(
        SELECT id FROM push_devices WHERE silent_until > now() AND id = ANY (ARRAY(
          SELECT drawn.id FROM servers, LATERAL (
            SELECT id FROM (
              SELECT DISTINCT ON (user_id) id FROM (
                SELECT id, user_id FROM push_devices
                WHERE app_id = servers.app_id AND silent_host = servers.silent_host AND silent_until > now()
                  AND id <> ALL (ARRAY(SELECT id FROM answering))
                ORDER BY silent_until DESC LIMIT ${DRAWN_FROM}) AS silent
              ORDER BY user_id, random()) AS of_users
            ORDER BY random() LIMIT servers.most) AS drawn))
        FOR NO KEY UPDATE SKIP LOCKED))
    )
    SELECT id FROM settled`,
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

  async lease(appId: string, limit: number, leaseSeconds: number): Promise<Lease> {
    type Row = LeasedDelivery & { readonly waits: boolean; readonly batchIsFirst: boolean };
    const rows = await this.statements.run<Row>(LEASE, [appId, limit, leaseSeconds]);
    const leased = rows.filter(({ waits }) => !waits);
    return { leased, isFull: rows.length === limit, batchIsFirst: rows[0]?.batchIsFirst ?? false };
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

  /**
   * @returns ids of the deliveries that were recorded: those that this process still had the lease for, or has
   * delivered
   */
  async settle(tx: EntityManager, settlements: readonly DeliveryOutcome[]): Promise<Set<string>> {
    const rows = settlements.map((each) => ({
      id: each.delivery.id,
      attempt: each.delivery.attempt,
      status: each.status,
      error: each.error,
      seconds: each.status === 'queued' ? each.retryInSeconds : null,
      probe: each.delivery.isProbe,
    }));
    const settled = await this.statements.run<{ id: string }>(RECORD_OUTCOMES, [JSON.stringify(rows)], tx);
    return new Set(settled.map(({ id }) => id));
  }

  count(tx: EntityManager, notificationIds: readonly string[]): Promise<DeliveryCount[]> {
    return this.statements.run<DeliveryCount & object>(COUNT, [notificationIds], tx);
  }

  /** @param notes `failed` is the number that failed or expired; `status` is null while some are in progress */
  async note(
    tx: EntityManager,
    notes: readonly { id: string; delivered: number; failed: number; status: NotificationStatus | null }[],
  ): Promise<void> {
    await this.statements.run(NOTE, [JSON.stringify(notes)], tx);
  }
}
