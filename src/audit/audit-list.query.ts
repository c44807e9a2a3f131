import type { Scope } from '../common/actor.js';
import { microsOf, type PageCursor, timeOf } from '../common/page-cursor.js';
import { parameters, type Query } from '../database/query.js';
import { AUDIT_COLUMNS } from './audit-entry.columns.js';

export interface AuditFilter {
  readonly scope: Scope;
  readonly tenantId?: string;
  readonly appId?: string;
  readonly userId?: string;
  readonly action?: string;
  /**
   * Canonical address: sign-ins with a wrong password for it. Such entries name no user, or an administrator could try
   * addresses at an app of their own and read here which of them have an account.
   */
  readonly triedEmail?: string;
  readonly before?: Date;
  readonly after?: Date;
  readonly limit: number;
  /** From 1; where `cursor` is given it says where the page begins, and this only counts. */
  readonly page: number;
  readonly cursor?: PageCursor | null;
}

/**
 * The entries of one page and, where there is one, the first of the next; newest first. A caller who sees tenants and
 * apps only gets, of each, the newest from its own index, and then the newest of these: the work depends on the page and
 * not on how many entries there are.
 */
export function auditListQuery(filter: AuditFilter): Query {
  const { bind, values } = parameters();
  const conditions = [
    filter.tenantId && `e.tenant_id = ${bind(filter.tenantId)}`,
    filter.appId && `e.app_id = ${bind(filter.appId)}`,
    filter.userId && `e.user_id = ${bind(filter.userId)}`,
    filter.action && `e.action = ${bind(filter.action)}`,
    filter.triedEmail &&
      `e.action = 'user.login_failed' AND e.user_id IS NULL AND e.metadata ->> 'email' = ${bind(filter.triedEmail)}`,
    filter.before && `e.created_at < ${bind(filter.before)}`,
    filter.after && `e.created_at > ${bind(filter.after)}`,
    filter.cursor && `(e.created_at, e.id) < (${timeOf(bind(filter.cursor.micros))}, ${bind(filter.cursor.id)}::uuid)`,
  ].filter((condition) => typeof condition === 'string');
  const offset = filter.cursor ? 0 : (filter.page - 1) * filter.limit;
  const reach = bind(offset + filter.limit + 1);
  const newest = (scoped: string[], from: string): string =>
    `SELECT e.* FROM ${from} WHERE ${[...scoped, ...conditions, 'true'].join(' AND ')}
     ORDER BY e.created_at DESC, e.id DESC LIMIT ${reach}`;
  const { scope } = filter;
  const found = scope.everything
    ? newest([], 'audit_entries e')
    : `SELECT DISTINCT ON (e.created_at, e.id) e.* FROM (
         SELECT of_tenant.* FROM unnest(${bind(scope.tenantIds)}::uuid[]) AS scope (id),
           LATERAL (${newest(['e.tenant_id = scope.id'], 'audit_entries e')}) AS of_tenant
         UNION ALL
         SELECT of_app.* FROM unnest(${bind(scope.appIds)}::uuid[]) AS scope (id),
           LATERAL (${newest(['e.app_id = scope.id'], 'audit_entries e')}) AS of_app) AS e
       ORDER BY e.created_at DESC, e.id DESC`;
  const text = `SELECT ${AUDIT_COLUMNS}, ${microsOf('created_at')} AS micros FROM (
      SELECT found.* FROM (${found}) AS found
      ORDER BY found.created_at DESC, found.id DESC LIMIT ${bind(filter.limit + 1)} OFFSET ${bind(offset)}) AS page
    ORDER BY page.created_at DESC, page.id DESC`;
  return { text, values };
}
