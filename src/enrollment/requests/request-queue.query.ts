import type { Scope } from '../../common/actor.js';
import { microsOf, timeOf } from '../../common/lists/page-cursor.js';
import { inScope } from '../../database/queries/in-scope.sql.js';
import { type BindParameter, parameters, type Query } from '../../database/queries/query.js';
import { matchesSearch } from '../users/user-search.sql.js';
import type { RequestKey, RequestCursor } from './request-cursor.js';

/** The tenant and the app of the app `a`. */
const OF_APP = { tenant: 'a.tenant_id', app: 'a.id' };

export interface RequestFilter {
  readonly scope: Scope;
  readonly appId?: string;
  /** As typed: see {@link matchesSearch}. */
  readonly search?: string;
  /** Only these requests, if they are pending. */
  readonly picks?: readonly RequestKey[];
}

/** Pending requests, longest wait first. Each part is read from a partial index in this order. */
export function requestPageQuery(filter: RequestFilter, after: RequestCursor | null, limit: number): Query {
  const { bind, values } = parameters();
  const text = `SELECT e.user_id, e.app_id, e.created_at, e.request_message, ${microsOf('e.created_at')} AS micros,
      a.name AS app_name, a.tenant_id, t.name AS tenant_name,
      u.display_name, u.email, u.email_verified, u.is_active
    FROM (${waiting(filter, bind, bind(limit), after)}) AS found
    JOIN enrollments e ON e.user_id = found.user_id AND e.app_id = found.app_id
    JOIN apps a ON a.id = e.app_id JOIN tenants t ON t.id = a.tenant_id JOIN users u ON u.id = e.user_id
    ORDER BY e.created_at, e.app_id, e.user_id`;
  return { text, values };
}

/** Number of pending requests, counted up to `most`. */
export function requestCountQuery(filter: RequestFilter, most: number): Query {
  const { bind, values } = parameters();
  return { text: `SELECT count(*)::int AS count FROM (${waiting(filter, bind, bind(most), null)}) AS found`, values };
}

function waiting(
  { scope, appId, search, picks }: RequestFilter,
  bind: BindParameter,
  reach: string,
  after: RequestCursor | null,
): string {
  const behind = after
    ? `AND (e.created_at, e.app_id, e.user_id) > (${timeOf(bind(after.micros))}, ${bind(after.appId)}::uuid, ${bind(after.userId)}::uuid)`
    : '';
  const found = search
    ? `AND EXISTS (SELECT FROM users u WHERE u.id = e.user_id AND ${matchesSearch(search, bind)})`
    : '';
  // Users cannot request access to a Console app.
  const listed = (condition: string): string =>
    `SELECT e.created_at, e.app_id, e.user_id FROM enrollments e
     JOIN apps a ON a.id = e.app_id AND NOT a.is_console_app AND a.archived_at IS NULL
     WHERE e.status = 'pending' AND ${condition} ${found} ${behind} ORDER BY 1, 2, 3 LIMIT ${reach}`;
  if (picks) return listed(`(e.user_id, e.app_id) IN (${among(picks, bind)}) AND ${inScope(scope, OF_APP, bind)}`);
  if (appId) return listed(`e.app_id = ${bind(appId)} AND ${inScope(scope, OF_APP, bind)}`);
  if (scope.everything) return listed('true');
  return `SELECT DISTINCT created_at, app_id, user_id FROM (
      SELECT of_tenant.* FROM unnest(${bind(scope.tenantIds)}::uuid[]) AS scope (id),
        LATERAL (${listed('e.tenant_id = scope.id')}) AS of_tenant
      UNION ALL
      SELECT of_app.* FROM unnest(${bind(scope.appIds)}::uuid[]) AS scope (id),
        LATERAL (${listed('e.app_id = scope.id')}) AS of_app) AS either
    ORDER BY 1, 2, 3 LIMIT ${reach}`;
}

function among(picks: readonly RequestKey[], bind: BindParameter): string {
  const users = bind(picks.map(({ userId }) => userId));
  return `SELECT * FROM unnest(${users}::uuid[], ${bind(picks.map(({ appId }) => appId))}::uuid[])`;
}
