import type { Scope } from '../../common/actor.js';
import {
  FIRST_PAGE,
  isBeyond,
  milestonesOf,
  type PageBoundary,
  type PageRequest,
  type PageStart,
} from '../../database/queries/deep-pages.js';
import { addressHolds } from '../../database/queries/address-search.sql.js';
import { type BindParameter, parameters, type Query } from '../../database/queries/query.js';

/** States in the list. The API calls an invite that was revoked before its first use `exhausted`. */
export const INVITE_STATES = ['usable', 'expired', 'used', 'revoked'] as const;
export type InviteState = (typeof INVITE_STATES)[number];

/** The invites that a caller may see. */
export interface InviteScope extends Scope {
  /** Apps of which only invites for the role `user` are listed. */
  readonly managedAppIds: readonly string[];
}

export interface InviteFilter extends PageRequest {
  readonly scope: InviteScope;
  readonly appId?: string;
  readonly state?: InviteState;
  /** Invites to an address that contains the text, or to one of the addresses; in lower case. */
  readonly mailedTo?: { readonly text: string; readonly emails: readonly string[] };
}

const HAS_USES = 'i.use_count < i.max_uses';
const STATE: Readonly<Record<InviteState, string>> = {
  usable: `${HAS_USES} AND i.expires_at > now()`,
  expired: `${HAS_USES} AND i.expires_at <= now()`,
  used: 'i.use_count >= i.max_uses AND i.use_count > 0',
  revoked: 'i.use_count >= i.max_uses AND i.use_count = 0',
};

/** Newest first; one more than `filter.limit` if there is a next page. */
export function invitePageQuery(filter: InviteFilter, { after, skip }: PageStart = FIRST_PAGE): Query {
  const { bind, values } = parameters();
  const edge = after && { side: 'behind' as const, cursor: after };
  const found = invitesIn(filter, bind, bind(skip + filter.limit + 1), edge);
  const text = `SELECT page.id, a.id AS app_id, a.name AS app_name, a.is_console_app, a.origin AS app_origin,
      a.tenant_id, t.name AS tenant_name
    FROM (SELECT * FROM (${found}) AS found ORDER BY created_at DESC, id DESC
      LIMIT ${bind(filter.limit + 1)} OFFSET ${bind(skip)}) AS page
    JOIN apps a ON a.id = page.app_id JOIN tenants t ON t.id = a.tenant_id
    ORDER BY page.created_at DESC, page.id DESC`;
  return { text, values };
}

/** See `DeepList.countAhead`. */
export function inviteCountQuery(filter: InviteFilter, most: number, edge: PageBoundary): Query {
  const { bind, values } = parameters();
  return { text: `SELECT count(*)::int AS count FROM (${invitesIn(filter, bind, bind(most), edge)}) AS found`, values };
}

/** See `DeepList.milestones`. */
export function inviteMilestonesQuery(filter: InviteFilter, every: number): Query {
  const { bind, values } = parameters();
  return { text: milestonesOf(invitesIn(filter, bind, 'ALL', null), bind(every)), values };
}

/** The newest invites of each app from its index, merged, so that the cost depends on the page size. */
function invitesIn(filter: InviteFilter, bind: BindParameter, reach: string, edge: PageBoundary | null): string {
  const { scope, appId, state, mailedTo } = filter;
  const conditions = [
    appId && `i.app_id = ${bind(appId)}::uuid`,
    // Invites of archived apps are listed only if the app's id is given. Not a join, which would sort all invites.
    !appId && 'i.app_id NOT IN (SELECT a.id FROM apps a WHERE a.archived_at IS NOT NULL)',
    state && STATE[state],
    mailedTo && isMailedTo(mailedTo, bind),
    edge && isBeyond(edge, 'i.created_at', 'i.id', bind),
  ].filter((condition) => typeof condition === 'string' && condition !== '');
  const newest = (...scoped: string[]): string =>
    `SELECT i.id, i.app_id, i.created_at FROM invites i WHERE ${[...scoped, ...conditions, 'true'].join(' AND ')}
     ORDER BY i.created_at DESC, i.id DESC LIMIT ${reach}`;
  if (scope.everything) return newest();
  const own = `a.tenant_id = ANY(${bind(scope.tenantIds)}::uuid[])
    OR NOT a.is_console_app AND a.id = ANY(${bind(scope.appIds)}::uuid[])`;
  const managed = `NOT a.is_console_app AND a.id = ANY(${bind(scope.managedAppIds)}::uuid[])`;
  return `SELECT DISTINCT id, app_id, created_at FROM (
      SELECT of_own.* FROM apps a, LATERAL (${newest('i.app_id = a.id')}) AS of_own WHERE ${own}
      UNION ALL
      SELECT of_managed.* FROM apps a, LATERAL (${newest('i.app_id = a.id', `i.roles <@ ARRAY['user']`)}) AS of_managed
      WHERE ${managed}) AS either
    ORDER BY created_at DESC, id DESC LIMIT ${reach}`;
}

function isMailedTo({ text, emails }: NonNullable<InviteFilter['mailedTo']>, bind: BindParameter): string {
  const toOne = `i.email_canonical = ANY(${bind(emails)}::text[])`;
  const holds = addressHolds('i.email_canonical', text, bind);
  return holds ? `(${holds} OR ${toOne})` : toOne;
}
