import type { Scope } from '../common/actor.js';
import { microsOf } from '../common/lists/page-cursor.js';
import {
  isBeyond,
  type PageBoundary,
  type PageStart,
  milestonesOf,
  type PageRequest,
  FIRST_PAGE,
} from '../database/queries/deep-pages.js';
import { newestInScope } from '../database/queries/newest-in-scope.js';
import { type BindParameter, parameters, type Query } from '../database/queries/query.js';
import type { ActorType } from './entries/audit-action.js';
import { AUDIT_COLUMNS } from './entries/audit-entry.columns.js';

/** Filters of the audit log, within the scope. */
export interface AuditSelection {
  readonly scope: Scope;
  readonly tenantId?: string;
  readonly appId?: string;
  /** The user whom the entry is about. */
  readonly userId?: string;
  /** The user whom the entry is about, or who did it. */
  readonly involvedUserId?: string;
  readonly action?: string;
  /** Any of these actions. */
  readonly actions?: readonly string[];
  readonly actorType?: ActorType;
  /**
   * Canonical e-mail address for which a wrong password was tried. These entries contain no user id, because an
   * administrator could otherwise try addresses at their own app and read here which ones have an account.
   */
  readonly triedEmail?: string;
  readonly before?: Date;
  readonly after?: Date;
}

export interface AuditFilter extends AuditSelection, PageRequest {}

/** Columns that determine the position in the list. They are in an index. */
const PLACE = 'e.created_at, e.id';

/**
 * A page ends after the entry that exceeds this. Metadata is small now, but was not always, and entries cannot be
 * deleted.
 */
export const MAX_PAGE_BYTES = 4 * 1024 * 1024;

/**
 * The entries of a page plus the first of the next page, if there is one; newest first. `inPage` is their number, of
 * which only the first ones are read if they exceed {@link MAX_PAGE_BYTES}.
 */
export function auditListQuery(filter: AuditFilter, { after, skip }: PageStart = FIRST_PAGE): Query {
  const { bind, values } = parameters();
  const edge = after && { side: 'behind' as const, cursor: after };
  const found = entriesIn(filter, 'e.*', bind, bind(skip + filter.limit + 1), edge);
  const text = `SELECT ${AUDIT_COLUMNS}, ${microsOf('created_at')} AS micros, in_page AS "inPage" FROM (
      SELECT page.*, count(*) OVER ()::int AS in_page,
        sum(octet_length(page.metadata::text)) OVER (ORDER BY page.created_at DESC, page.id DESC
          ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_before
      FROM (SELECT found.* FROM (${found}) AS found
        ORDER BY found.created_at DESC, found.id DESC LIMIT ${bind(filter.limit + 1)} OFFSET ${bind(skip)}) AS page
    ) AS measured
    WHERE coalesce(bytes_before, 0) < ${MAX_PAGE_BYTES}
    ORDER BY measured.created_at DESC, measured.id DESC`;
  return { text, values };
}

/** Number of entries on one side of a position, counted up to `most`. */
export function auditCountQuery(filter: AuditFilter, most: number, edge: PageBoundary): Query {
  const { bind, values } = parameters();
  const found = entriesIn(filter, PLACE, bind, bind(most), edge);
  return { text: `SELECT count(*)::int AS count FROM (${found}) AS found`, values };
}

/** Number of entries, and the time of the snapshot. */
export function auditTotalQuery(selection: AuditSelection): Query {
  const { bind, values } = parameters();
  return {
    text: `SELECT count(*)::int AS count, now() AS at FROM (${entriesIn(selection, PLACE, bind, 'ALL', null)}) AS e`,
    values,
  };
}

/** See `DeepList.milestones`. */
export function auditMilestonesQuery(filter: AuditFilter, every: number): Query {
  const { bind, values } = parameters();
  return { text: milestonesOf(entriesIn(filter, PLACE, bind, 'ALL', null), bind(every)), values };
}

function entriesIn(
  filter: AuditSelection,
  columns: string,
  bind: BindParameter,
  reach: string,
  edge: PageBoundary | null,
): string {
  const conditions = [
    filter.tenantId && `e.tenant_id = ${bind(filter.tenantId)}`,
    filter.appId && `e.app_id = ${bind(filter.appId)}`,
    filter.userId && `e.user_id = ${bind(filter.userId)}`,
    filter.action && `e.action = ${bind(filter.action)}`,
    filter.actions && `e.action = ANY(${bind(filter.actions)})`,
    filter.actorType && `e.actor_type = ${bind(filter.actorType)}`,
    filter.triedEmail &&
      `e.action = 'user.login_failed' AND e.user_id IS NULL AND e.metadata ->> 'email' = ${bind(filter.triedEmail)}`,
    filter.before && `e.created_at < ${bind(filter.before)}`,
    filter.after && `e.created_at > ${bind(filter.after)}`,
    edge && isBeyond(edge, 'e.created_at', 'e.id', bind),
  ].filter((condition) => typeof condition === 'string');
  const ways = filter.involvedUserId ? waysOfBeingInvolved(bind(filter.involvedUserId)) : [[]];
  const { tenantId } = filter;
  const scope = tenantId && filter.scope.tenantIds.includes(tenantId) ? onlyTenant(tenantId) : filter.scope;
  return newestInScope({ from: { table: 'audit_entries', alias: 'e' }, columns, conditions, ways, scope, reach }, bind);
}

function waysOfBeingInvolved(user: string): readonly (readonly string[])[] {
  return [
    [`e.user_id = ${user}::uuid`],
    [`e.actor_type = 'user' AND e.actor_id = ${user}::text AND e.user_id IS DISTINCT FROM ${user}::uuid`],
  ];
}

/** Entries of the tenant; this includes those that the caller sees through its apps. */
function onlyTenant(tenantId: string): Scope {
  return { everything: false, tenantIds: [tenantId], appIds: [] };
}
