import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { NIL_UUID } from '../../../../common/validation/nil-uuid.js';
import type { CapturedMail } from '../../../../mail/sending/captured-mail.entity.js';
import type { PastEntry } from '../plan/example-history.rules.js';

/** Named like the columns. */
export interface EnrollmentRow {
  readonly user_id: string;
  readonly app_id: string;
  readonly roles: readonly string[];
  readonly status: string;
  readonly request_message: string | null;
  readonly created_at: Date;
  readonly last_login_at: Date | null;
}

export interface UserTimes {
  readonly id: string;
  readonly created_at: Date;
  readonly last_login_at: Date | null;
}

export interface WebhookRow {
  readonly app_id: string;
  readonly type: string;
  readonly body: string;
  readonly status: 'delivered' | 'failed';
  readonly last_status: number;
  readonly last_error: string | null;
  readonly history: readonly object[];
  readonly created_at: Date;
}

export interface MailRow {
  readonly id: string;
  readonly template: string;
  readonly recipient: string;
  readonly userId: string;
  readonly appId: string;
  readonly tenantId: string;
  readonly state: string;
  readonly smtpStatus: number | null;
  readonly createdAt: Date;
  readonly endedAt: Date;
}

const INSERT_ENROLLMENTS = `
  INSERT INTO enrollments (user_id, app_id, roles, status, request_message, created_at, updated_at, last_login_at)
  SELECT user_id, app_id, roles, status, request_message, created_at, created_at, last_login_at
  FROM json_to_recordset($1) AS row(user_id uuid, app_id uuid, roles text[], status text, request_message text,
                                    created_at timestamptz, last_login_at timestamptz)`;

const DATE_USERS = `
  UPDATE users SET created_at = row.created_at, updated_at = row.created_at, last_login_at = row.last_login_at
  FROM json_to_recordset($1) AS row(id uuid, created_at timestamptz, last_login_at timestamptz)
  WHERE users.id = row.id`;

const DATE_TENANTS = `
  WITH dated AS (UPDATE tenants SET created_at = $2, updated_at = $2 WHERE id = ANY ($1) RETURNING id)
  UPDATE apps SET created_at = $2, updated_at = $2 FROM dated WHERE apps.tenant_id = dated.id`;

const INSERT_MAILS = `
  INSERT INTO mail_log (id, template, recipient, user_id, app_id, tenant_id, state, smtp_status, created_at, ended_at)
  SELECT id, template, recipient, "userId", "appId", "tenantId", state, "smtpStatus", "createdAt", "endedAt"
  FROM json_to_recordset($1) AS row(id uuid, template text, recipient text, "userId" uuid, "appId" uuid,
    "tenantId" uuid, state text, "smtpStatus" integer, "createdAt" timestamptz, "endedAt" timestamptz)`;

const INSERT_CAPTURED_MAILS = `
  INSERT INTO captured_mails (id, "to", "from", subject, text, html, created_at)
  SELECT id, "to", "from", subject, text, html, "createdAt"
  FROM json_to_recordset($1) AS row(id uuid, "to" text, "from" text, subject text, text text, html text,
    "createdAt" timestamptz)`;

/** Inserted in order of time, because the order of the ordinals is that of the chain. */
const INSERT_ENTRIES = `
  INSERT INTO audit_entries (id, created_at, action, outcome, actor_type, actor_id, actor_email, user_id, tenant_id,
                             app_id, target_type, target_id, ip_address, user_agent, metadata)
  SELECT gen_random_uuid(), "createdAt", action, outcome, "actorType", "actorId", "actorEmail", "userId", "tenantId",
         "appId", "targetType", "targetId", "ipAddress", "userAgent", metadata
  FROM json_to_recordset($1) AS row("createdAt" timestamptz, action text, outcome text, "actorType" text,
    "actorId" text, "actorEmail" text, "userId" uuid, "tenantId" uuid, "appId" uuid, "targetType" text,
    "targetId" text, "ipAddress" text, "userAgent" text, metadata jsonb)
  ORDER BY "createdAt"`;

/**
 * Daily statistics for the charts, as the daily count would write them. Tokens are not in the audit log, so their
 * number is made up for each sign-in.
 */
const COUNT_DAYS = `
  INSERT INTO daily_statistics (scope_id, day, measure, count)
  SELECT counted.scope_id, counted.day, numbers.measure, numbers.count
  FROM (
    SELECT coalesce(app_id, tenant_id, '${NIL_UUID}') AS scope_id, day,
      count(*) FILTER (WHERE action = 'user.login')::int AS sign_ins,
      count(*) FILTER (WHERE action = 'user.login_failed')::int AS failures,
      count(DISTINCT user_id) FILTER (WHERE action = 'user.login')::int AS users
    FROM (
      SELECT app_id, tenant_id, user_id, action, (created_at AT TIME ZONE 'utc')::date AS day FROM audit_entries
      WHERE action IN ('user.login', 'user.login_failed') AND app_id IS NOT NULL
    ) AS entries
    GROUP BY GROUPING SETS ((day, app_id), (day, tenant_id), (day))
  ) AS counted
  CROSS JOIN LATERAL (VALUES ('sign_ins', counted.sign_ins), ('failures', counted.failures),
    ('active_users', counted.users), ('tokens_issued', 5 * counted.sign_ins)) AS numbers (measure, count)
  ON CONFLICT ON CONSTRAINT pk_daily_statistics DO UPDATE SET count = greatest(daily_statistics.count, EXCLUDED.count)`;

const INSERT_WEBHOOK_MESSAGES = `
  INSERT INTO webhook_messages (id, app_id, type, body, status, attempts, last_status, last_error, history, created_at,
                                completed_at)
  SELECT gen_random_uuid(), app_id, type, body, status, jsonb_array_length(history), last_status, last_error, history,
         created_at, created_at
  FROM json_to_recordset($1) AS row(app_id uuid, type text, body text, status text, last_status integer,
    last_error text, history jsonb, created_at timestamptz)`;

/** Example rows that no use case can create, because they are in the past. One statement per table. */
@Injectable()
export class ExampleRowsRepository {
  async enroll(tx: EntityManager, rows: readonly EnrollmentRow[]): Promise<void> {
    await tx.query(INSERT_ENROLLMENTS, [JSON.stringify(rows)]);
  }

  /** Sets the creation time of tenants and their apps. */
  async dateTenants(tx: EntityManager, tenantIds: readonly string[], createdAt: Date): Promise<void> {
    await tx.query(DATE_TENANTS, [tenantIds, createdAt]);
  }

  async dateUsers(tx: EntityManager, rows: readonly UserTimes[]): Promise<void> {
    await tx.query(DATE_USERS, [JSON.stringify(rows)]);
  }

  async insertHistory(tx: EntityManager, entries: readonly PastEntry[]): Promise<void> {
    await tx.query(INSERT_ENTRIES, [JSON.stringify(entries)]);
    await tx.query(COUNT_DAYS);
  }

  async insertMails(tx: EntityManager, rows: readonly MailRow[]): Promise<void> {
    await tx.query(INSERT_MAILS, [JSON.stringify(rows)]);
  }

  async insertCapturedMails(tx: EntityManager, rows: readonly CapturedMail[]): Promise<void> {
    await tx.query(INSERT_CAPTURED_MAILS, [JSON.stringify(rows)]);
  }

  async insertWebhookMessages(tx: EntityManager, rows: readonly WebhookRow[]): Promise<void> {
    await tx.query(INSERT_WEBHOOK_MESSAGES, [JSON.stringify(rows)]);
  }
}
