import type { Scope } from '../common/actor.js';
import { microsOf } from '../common/page-cursor.js';
import {
  isBeyond,
  type PageBoundary,
  type PageStart,
  milestonesOf,
  type PageRequest,
  FIRST_PAGE,
} from '../database/deep-pages.js';
import { type Bind, parameters, type Query } from '../database/query.js';
import { AUDIT_COLUMNS } from './entries/audit-entry.columns.js';

export interface AuditFilter extends PageRequest {
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
}

/** All that a place in the list needs: an index has it. */
const PLACE = 'e.created_at, e.id';

/**
 * The entries of one page and, where there is one, the first of the next; newest first. A caller who sees tenants and
 * apps only gets, of each, the newest from its own index, and then the newest of these: the work depends on the page and
 * not on how many entries there are.
 */
export function auditListQuery(filter: AuditFilter, { after, skip }: PageStart = FIRST_PAGE): Query {
  const { bind, values } = parameters();
  const edge = after && { side: 'behind' as const, place: after };
  const found = entriesIn(filter, 'e.*', bind, bind(skip + filter.limit + 1), edge);
  const text = `SELECT ${AUDIT_COLUMNS}, ${microsOf('created_at')} AS micros FROM (
      SELECT found.* FROM (${found}) AS found
      ORDER BY found.created_at DESC, found.id DESC LIMIT ${bind(filter.limit + 1)} OFFSET ${bind(skip)}) AS page
    ORDER BY page.created_at DESC, page.id DESC`;
  return { text, values };
}

/** How many there are on one side of a place, counted no further than `most`. */
export function auditCountQuery(filter: AuditFilter, most: number, edge: PageBoundary): Query {
  const { bind, values } = parameters();
  const found = entriesIn(filter, PLACE, bind, bind(most), edge);
  return { text: `SELECT count(*)::int AS count FROM (${found}) AS found`, values };
}

/** See `DeepList.milestones`. */
export function auditMilestonesQuery(filter: AuditFilter, every: number): Query {
  const { bind, values } = parameters();
  return { text: milestonesOf(entriesIn(filter, PLACE, bind, 'ALL', null), bind(every)), values };
}

function entriesIn(filter: AuditFilter, columns: string, bind: Bind, reach: string, edge: PageBoundary | null): string {
  const conditions = [
    filter.tenantId && `e.tenant_id = ${bind(filter.tenantId)}`,
    filter.appId && `e.app_id = ${bind(filter.appId)}`,
    filter.userId && `e.user_id = ${bind(filter.userId)}`,
    filter.action && `e.action = ${bind(filter.action)}`,
    filter.triedEmail &&
      `e.action = 'user.login_failed' AND e.user_id IS NULL AND e.metadata ->> 'email' = ${bind(filter.triedEmail)}`,
    filter.before && `e.created_at < ${bind(filter.before)}`,
    filter.after && `e.created_at > ${bind(filter.after)}`,
    edge && isBeyond(edge, 'e.created_at', 'e.id', bind),
  ].filter((condition) => typeof condition === 'string');
  const newest = (scoped: string[]): string =>
    `SELECT ${columns} FROM audit_entries e WHERE ${[...scoped, ...conditions, 'true'].join(' AND ')}
     ORDER BY e.created_at DESC, e.id DESC LIMIT ${reach}`;
  const { scope } = filter;
  if (scope.everything) return newest([]);
  return `SELECT DISTINCT ON (e.created_at, e.id) e.* FROM (
      SELECT of_tenant.* FROM unnest(${bind(scope.tenantIds)}::uuid[]) AS scope (id),
        LATERAL (${newest(['e.tenant_id = scope.id'])}) AS of_tenant
      UNION ALL
      SELECT of_app.* FROM unnest(${bind(scope.appIds)}::uuid[]) AS scope (id),
        LATERAL (${newest(['e.app_id = scope.id'])}) AS of_app) AS e
    ORDER BY e.created_at DESC, e.id DESC`;
}
