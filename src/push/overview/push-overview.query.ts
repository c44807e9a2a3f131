import type { Scope } from '../../common/actor.js';
import { inScope } from '../../database/queries/in-scope.sql.js';
import { type BindParameter, parameters, type Query } from '../../database/queries/query.js';

export const PUSH_STATES = ['on', 'off', 'failing', 'no_firebase'] as const;
export type PushState = (typeof PUSH_STATES)[number];

export interface PushOverviewFilter {
  readonly scope: Scope;
  /** Part of the app's name or bundle id, or its id. */
  readonly search?: string;
  readonly state?: PushState;
  /** Whether the installation has a Firebase account for apps that have none of their own. */
  readonly sharedFirebase: boolean;
  readonly page: number;
  readonly limit: number;
}

/** Devices are counted up to this number. */
export const MAX_COUNTED_DEVICES = 10_000;
/** How many of the newest messages decide the state of a webhook. */
const NEWEST = 20;

/** Outcomes of the newest messages to the webhook of the app `app`, from the index of its log. */
const NEWEST_MESSAGES = (app: string): string =>
  `SELECT count(*) FILTER (WHERE m.status <> 'delivered' AND m.last_error IS NOT NULL)::int AS failing, count(*)::int AS seen
   FROM (SELECT status, last_error FROM webhook_messages WHERE app_id = ${app}
         ORDER BY created_at DESC, id DESC LIMIT ${NEWEST}) AS m`;

const STATES: Readonly<Record<PushState, (filter: PushOverviewFilter) => string>> = {
  on: () => 'a.push_enabled',
  off: () => 'NOT a.push_enabled',
  failing: () => `s.webhook_url IS NOT NULL AND (s.webhook_disabled_at IS NOT NULL
    OR (SELECT failing FROM (${NEWEST_MESSAGES('a.id')}) AS newest) > 0)`,
  no_firebase: ({ sharedFirebase }) => (sharedFirebase ? 'false' : 'a.push_enabled AND s.sealed_fcm_account IS NULL'),
};

/**
 * A page of apps, newest first, each with its notifications, devices and the state of its webhook. Only the apps of the
 * page are counted, each using the index of its own rows.
 */
export function pushOverviewQuery(filter: PushOverviewFilter): Query {
  const { bind, values } = parameters();
  const { page, limit } = filter;
  const text = `
    SELECT page.id, page.name, page.tenant_name AS "tenantName", page.is_active AS "isActive", page.push_enabled AS "isOn",
      page.webhook_url IS NOT NULL AS "hasWebhook", page.webhook_disabled_at IS NOT NULL AS "webhookIsDisabled",
      page.vapid_public_key IS NOT NULL AS "hasVapid", page.sealed_fcm_account IS NOT NULL AS "hasOwnFirebase",
      sent.today, sent.week, devices.count AS devices, messages.failing, messages.seen
    FROM (
      SELECT a.id, a.name, t.name AS tenant_name, a.is_active, a.push_enabled, a.created_at,
        s.webhook_url, s.webhook_disabled_at, s.vapid_public_key, s.sealed_fcm_account
      FROM ${governed(filter, bind)}
      ORDER BY a.created_at DESC, a.id DESC LIMIT ${bind(limit)} OFFSET ${bind((page - 1) * limit)}) AS page,
    LATERAL (
      SELECT coalesce(sum(u.used) FILTER (WHERE u.day = today.day), 0)::int AS today, coalesce(sum(u.used), 0)::int AS week
      FROM (SELECT (now() AT TIME ZONE 'utc')::date AS day) AS today
        JOIN push_usage u ON u.app_id = page.id AND u.day > today.day - 7) AS sent,
    LATERAL (
      SELECT count(*)::int AS count
      FROM (SELECT FROM push_devices d WHERE d.app_id = page.id LIMIT ${MAX_COUNTED_DEVICES + 1}) AS counted) AS devices,
    LATERAL (${NEWEST_MESSAGES('page.id')}) AS messages
    ORDER BY page.created_at DESC, page.id DESC`;
  return { text, values };
}

export function pushOverviewCountQuery(filter: PushOverviewFilter): Query {
  const { bind, values } = parameters();
  return { text: `SELECT count(*)::int AS count FROM ${governed(filter, bind)}`, values };
}

/** Console apps send no notifications. */
function governed(filter: PushOverviewFilter, bind: BindParameter): string {
  const { scope, search, state } = filter;
  const covered = inScope(scope, { tenant: 'a.tenant_id', app: 'a.id' }, bind);
  const conditions = ['NOT a.is_console_app AND a.archived_at IS NULL', covered];
  if (search) {
    const text = `lower(${bind(search)}::text)`;
    conditions.push(
      `(position(${text} IN lower(a.name)) > 0 OR position(${text} IN lower(a.bundle_id)) > 0 OR a.id::text = ${text})`,
    );
  }
  if (state) conditions.push(`(${STATES[state](filter)})`);
  return `apps a JOIN tenants t ON t.id = a.tenant_id LEFT JOIN push_settings s ON s.app_id = a.id WHERE ${conditions.join(' AND ')}`;
}
