import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { NIL_UUID } from '../../../common/validation/nil-uuid.js';
import type { Prediction } from '../../../apps/comparisons/change-comparison.entity.js';
import type { NoticeMoment } from './scheduled-change-notice.entity.js';
import type { DueChange } from '../planning/scheduled-changes.repository.js';

/** A change with a due notice. A change never has more than one at a time. */
export interface DueNotice extends DueChange {
  readonly moment: NoticeMoment;
}

/** Recipient of a mail, and the app named in it. */
export interface Recipient {
  readonly id: string;
  readonly email: string;
  readonly locale: string | null;
  readonly appId: string;
}

const DUE: Readonly<Record<NoticeMoment, string>> = {
  // Delayed, so that a plan that is cancelled soon as a mistake causes no mails.
  announced: `state = 'planned' AND announced_at IS NULL AND effective_at > now()
    AND created_at + least(interval '10 minutes', (effective_at - created_at) / 2) <= now()`,
  // Not if the first mail was sent less than a day before the change.
  reminded: `state = 'planned' AND announced_at IS NOT NULL AND reminded_at IS NULL AND effective_at > now()
    AND effective_at <= now() + interval '1 day' AND effective_at > created_at + interval '1 day'`,
  retracted: `state IN ('cancelled', 'failed') AND retracted_at IS NULL`,
};

const MOMENT_OF = `CASE ${Object.entries(DUE)
  .map(([moment, isDue]) => `WHEN ${isDue} THEN '${moment}'`)
  .join(' ')} END`;

/** Only members of the app with a verified address: others may not know of it. */
const MAY_KNOW = `u.is_active AND u.email_verified AND e.status = 'active'`;

/**
 * Maximum number of mails per user and day for all changes of one tenant: announcements with reminders, and as many
 * about changes that were cancelled or failed. Each tenant has its own limit.
 */
const MAX_MAILS_PER_DAY = 3;
const hasHadFew = (isKind: string): string => `(
    SELECT count(*) FROM scheduled_change_notices m JOIN scheduled_changes c ON c.id = m.change_id
    WHERE m.user_id = u.id AND c.tenant_id = (SELECT tenant_id FROM scheduled_changes WHERE id = $1) AND m.moment ${isKind} AND m.created_at > now() - interval '1 day') < ${MAX_MAILS_PER_DAY}`;

const TAKE = `
  WITH taken AS (
    INSERT INTO scheduled_change_notices (change_id, user_id, moment, app_id)
    SELECT $1, u.id, $2, e.app_id FROM users u JOIN enrollments e ON e.user_id = u.id AND e.app_id = $3
    WHERE u.id = ANY ($4::uuid[]) AND ${MAY_KNOW} AND ${hasHadFew(`<> 'retracted'`)} ORDER BY u.id
    ON CONFLICT DO NOTHING RETURNING user_id, app_id)
  SELECT u.id, u.email, u.locale, t.app_id AS "appId" FROM taken t JOIN users u ON u.id = t.user_id`;

/** Uses the primary key: users before `after` are done or left out. */
const TOLD = `
  SELECT DISTINCT user_id AS id FROM scheduled_change_notices
  WHERE change_id = $1 AND user_id > $2 AND moment <> 'retracted' ORDER BY user_id LIMIT $3`;

/** Those of these users who may still know of the app. */
const TAKE_BACK = `
  WITH told AS (
    SELECT DISTINCT ON (n.user_id) n.user_id, n.app_id FROM scheduled_change_notices n
    JOIN users u ON u.id = n.user_id JOIN enrollments e ON e.user_id = u.id AND e.app_id = n.app_id
    WHERE n.change_id = $1 AND n.user_id = ANY ($2::uuid[]) AND ${MAY_KNOW} AND ${hasHadFew(`= 'retracted'`)} AND n.moment <> 'retracted'
    ORDER BY n.user_id
  ), taken AS (
    INSERT INTO scheduled_change_notices (change_id, user_id, moment, app_id)
    SELECT $1, user_id, 'retracted', app_id FROM told ON CONFLICT DO NOTHING RETURNING user_id, app_id)
  SELECT u.id, u.email, u.locale, t.app_id AS "appId" FROM taken t JOIN users u ON u.id = t.user_id`;

/** Changes whose mails no limit and no retraction needs any more. */
const OUTDATED = `
  SELECT id FROM scheduled_changes c WHERE settled_at < now() - interval '30 days'
  AND EXISTS (SELECT FROM scheduled_change_notices n WHERE n.change_id = c.id)`;
/** Uses the primary key, and continues where the statement before ended. */
const DELETE = `
  WITH old AS MATERIALIZED (
    SELECT ctid, user_id FROM scheduled_change_notices WHERE change_id = $1 AND user_id >= $2 ORDER BY user_id LIMIT $3),
  gone AS (DELETE FROM scheduled_change_notices WHERE ctid = ANY (ARRAY(SELECT ctid FROM old)))
  SELECT count(*)::int AS count, max(user_id::text) AS last FROM old`;
const DELETED_AT_ONCE = 5_000;

/** The mails about a scheduled change: one for each user and moment, whichever worker sends them. */
@Injectable()
export class ScheduledNoticesRepository {
  constructor(private readonly database: DataSource) {}

  /**
   * The first change of each tenant, then the second of each, and so on, so that the changes of one tenant do not hide
   * others.
   * @param except ids of changes that wait for a retry
   */
  listDue(limit: number, except: readonly string[]): Promise<DueNotice[]> {
    return this.database.query<DueNotice[]>(
      `SELECT id, tenant_id AS "tenantId", ${MOMENT_OF} AS moment FROM scheduled_changes
       WHERE ((${Object.values(DUE).join(') OR (')})) AND id <> ALL ($2::uuid[])
       ORDER BY row_number() OVER (PARTITION BY tenant_id ORDER BY effective_at, id), effective_at LIMIT $1`,
      [limit, except],
    );
  }

  /**
   * Until the transaction ends, no other change of the tenant records mails, because two changes may affect the same
   * user. Must be called before any row is locked.
   */
  async takeTurns(tx: EntityManager, tenantId: string): Promise<void> {
    await tx.query('SELECT pg_advisory_xact_lock(hashtext($1))', [`scheduled change notices ${tenantId}`]);
  }

  /** Prevents the change from being cancelled or made until the transaction ends. @returns whether it is planned */
  async holdPlanned(tx: EntityManager, id: string): Promise<boolean> {
    const text = `SELECT 1 FROM scheduled_changes WHERE id = $1 AND state = 'planned' FOR SHARE`;
    return (await tx.query<unknown[]>(text, [id])).length > 0;
  }

  /** @returns users who were not notified yet, and are within the daily limit */
  take(tx: EntityManager, id: string, moment: NoticeMoment, appId: string, userIds: string[]): Promise<Recipient[]> {
    return tx.query<Recipient[]>(TAKE, [id, moment, appId, userIds]);
  }

  /** Users who were notified of the change. @param after the last user of the batch before */
  async listTold(tx: EntityManager, id: string, after: string | null, limit: number): Promise<string[]> {
    const rows = await tx.query<{ id: string }[]>(TOLD, [id, after ?? NIL_UUID, limit]);
    return rows.map((row) => row.id);
  }

  /** @returns those of them who must be notified that the change was cancelled or failed */
  takeBack(tx: EntityManager, id: string, userIds: readonly string[]): Promise<Recipient[]> {
    return tx.query<Recipient[]>(TAKE_BACK, [id, userIds]);
  }

  /** Called when all have been notified. @param counts null: unknown */
  async end(id: string, moment: NoticeMoment, counts: Prediction | null): Promise<void> {
    await this.database.query(
      `UPDATE scheduled_changes SET ${moment}_at = now(), prediction_then = coalesce(prediction_then, $2) WHERE id = $1`,
      [id, counts && JSON.stringify(counts)],
    );
  }

  /** Deletes the records of changes that ended a month ago, in one transaction per batch. */
  async purge(): Promise<void> {
    for (const { id } of await this.database.query<{ id: string }[]>(OUTDATED)) {
      let from = NIL_UUID;
      for (let count = DELETED_AT_ONCE; count === DELETED_AT_ONCE;) {
        const [done] = await this.database.query<[Done]>(DELETE, [id, from, DELETED_AT_ONCE]);
        count = done.count;
        from = done.last ?? from;
      }
    }
  }
}

interface Done {
  readonly count: number;
  /** The last user of the batch. */
  readonly last: string | null;
}
