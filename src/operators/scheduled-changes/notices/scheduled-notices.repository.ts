import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Prediction } from '../../../apps/comparisons/change-comparison.entity.js';
import type { NoticeMoment } from './scheduled-change-notice.entity.js';
import type { DueChange } from '../planning/scheduled-changes.repository.js';

/** A change of which users are to be told. At any time it waits for one moment at most. */
export interface DueNotice extends DueChange {
  readonly moment: NoticeMoment;
}

/** Whom a mail goes to, and in the name of which app. */
export interface Recipient {
  readonly id: string;
  readonly email: string;
  readonly locale: string | null;
  readonly appId: string;
}

const DUE: Readonly<Record<NoticeMoment, string>> = {
  // Not at once: of a plan that was a mistake, and is cancelled, no one is mailed.
  announced: `state = 'planned' AND announced_at IS NULL AND effective_at > now()
    AND created_at + least(interval '10 minutes', (effective_at - created_at) / 2) <= now()`,
  // Not where the first mail came less than a day before the change.
  reminded: `state = 'planned' AND announced_at IS NOT NULL AND reminded_at IS NULL AND effective_at > now()
    AND effective_at <= now() + interval '1 day' AND effective_at > created_at + interval '1 day'`,
  retracted: `state IN ('cancelled', 'failed') AND retracted_at IS NULL`,
};

const MOMENT_OF = `CASE ${Object.entries(DUE)
  .map(([moment, isDue]) => `WHEN ${isDue} THEN '${moment}'`)
  .join(' ')} END`;

/** Members of the app with a verified address only: others may not know of it. */
const MAY_KNOW = `u.is_active AND u.email_verified AND e.status = 'active'`;

/** Of all changes of one tenant together, in a day: mails that a change comes, and as many that one does not. No tenant uses up another's. */
const MOST_A_DAY = 3;
const hasHadFew = (isKind: string): string => `(
    SELECT count(*) FROM scheduled_change_notices m JOIN scheduled_changes c ON c.id = m.change_id
    WHERE m.user_id = u.id AND c.tenant_id = (SELECT tenant_id FROM scheduled_changes WHERE id = $1) AND m.moment ${isKind} AND m.created_at > now() - interval '1 day') < ${MOST_A_DAY}`;

const TAKE = `
  WITH taken AS (
    INSERT INTO scheduled_change_notices (change_id, user_id, moment, app_id)
    SELECT $1, u.id, $2, e.app_id FROM users u JOIN enrollments e ON e.user_id = u.id AND e.app_id = $3
    WHERE u.id = ANY ($4::uuid[]) AND ${MAY_KNOW} AND ${hasHadFew(`<> 'retracted'`)} ORDER BY u.id
    ON CONFLICT DO NOTHING RETURNING user_id, app_id)
  SELECT u.id, u.email, u.locale, t.app_id AS "appId" FROM taken t JOIN users u ON u.id = t.user_id`;

/** Along the primary key: what lies before was taken back, or is left out. */
const TOLD = `
  SELECT DISTINCT user_id AS id FROM scheduled_change_notices
  WHERE change_id = $1 AND user_id > $2 AND moment <> 'retracted' ORDER BY user_id LIMIT $3`;

/** Of these, those who may still know of the app. */
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

const BEGINNING = '00000000-0000-0000-0000-000000000000';

/** The e-mails about a scheduled change: each user once for each moment, whichever worker is at it. */
@Injectable()
export class ScheduledNoticesRepository {
  constructor(private readonly database: DataSource) {}

  /**
   * The next to take effect of each tenant, then the second of each, so that those of one tenant hide no others.
   * @param except ids of those that wait for another attempt
   */
  listDue(limit: number, except: readonly string[]): Promise<DueNotice[]> {
    return this.database.query<DueNotice[]>(
      `SELECT id, tenant_id AS "tenantId", ${MOMENT_OF} AS moment FROM scheduled_changes
       WHERE ((${Object.values(DUE).join(') OR (')})) AND id <> ALL ($2::uuid[])
       ORDER BY row_number() OVER (PARTITION BY tenant_id ORDER BY effective_at, id), effective_at LIMIT $1`,
      [limit, except],
    );
  }

  /** Until the transaction ends, no other change of the tenant claims users: two changes may concern the same user. Called before any row is locked. */
  async takeTurns(tx: EntityManager, tenantId: string): Promise<void> {
    await tx.query('SELECT pg_advisory_xact_lock(hashtext($1))', [`scheduled change notices ${tenantId}`]);
  }

  /** Until the transaction ends it is neither cancelled nor made. @returns whether it is planned */
  async holdPlanned(tx: EntityManager, id: string): Promise<boolean> {
    const text = `SELECT 1 FROM scheduled_changes WHERE id = $1 AND state = 'planned' FOR SHARE`;
    return (await tx.query<unknown[]>(text, [id])).length > 0;
  }

  /** @returns those who had not been told yet, and have not had many such mails today */
  take(tx: EntityManager, id: string, moment: NoticeMoment, appId: string, userIds: string[]): Promise<Recipient[]> {
    return tx.query<Recipient[]>(TAKE, [id, moment, appId, userIds]);
  }

  /** Users who were told that it comes. @param after the last one of the batch before */
  async listTold(tx: EntityManager, id: string, after: string | null, limit: number): Promise<string[]> {
    const rows = await tx.query<{ id: string }[]>(TOLD, [id, after ?? BEGINNING, limit]);
    return rows.map((row) => row.id);
  }

  /** @returns those of them who are to be told that it does not happen */
  takeBack(tx: EntityManager, id: string, userIds: readonly string[]): Promise<Recipient[]> {
    return tx.query<Recipient[]>(TAKE_BACK, [id, userIds]);
  }

  /** All have been told. @param counts null: not known */
  async end(id: string, moment: NoticeMoment, counts: Prediction | null): Promise<void> {
    await this.database.query(
      `UPDATE scheduled_changes SET ${moment}_at = now(), prediction_then = coalesce(prediction_then, $2) WHERE id = $1`,
      [id, counts && JSON.stringify(counts)],
    );
  }
}
