import type { Scope } from '../../common/actor.js';
import { inScope } from '../../database/queries/in-scope.sql.js';
import { parameters, type Query } from '../../database/queries/query.js';

export interface AppOfUser {
  readonly userId: string;
  readonly appName: string;
  readonly isConsoleApp: boolean;
  readonly tenantName: string;
  /** Number of the user's apps within the scope. */
  readonly total: number;
}

/** The latest apps of each of these users within the scope, at most `most` for each user. */
export function appsOfUsersQuery(scope: Scope, userIds: readonly string[], most: number): Query {
  const { bind, values } = parameters();
  const covered = inScope(scope, { tenant: 'e.tenant_id', app: 'e.app_id' }, bind);
  const text = `SELECT u.id AS "userId", a.name AS "appName", a.is_console_app AS "isConsoleApp",
      t.name AS "tenantName", places.total
    FROM unnest(${bind([...userIds])}::uuid[]) AS u (id)
    CROSS JOIN LATERAL (
      SELECT e.app_id, e.created_at, count(*) OVER ()::int AS total FROM enrollments e
      WHERE e.user_id = u.id AND ${covered} ORDER BY e.created_at DESC, e.app_id LIMIT ${bind(most)}) AS places
    JOIN apps a ON a.id = places.app_id
    JOIN tenants t ON t.id = a.tenant_id
    ORDER BY places.created_at DESC, places.app_id`;
  return { text, values };
}
