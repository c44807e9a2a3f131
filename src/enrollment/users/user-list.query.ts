import type { Scope } from '../../common/actor.js';
import type { Sorting } from '../../common/lists/sorting.js';
import { inScope } from '../../database/queries/in-scope.sql.js';
import { type BindParameter, parameters, type Query } from '../../database/queries/query.js';
import {
  isBeyond,
  type PageBoundary,
  type PageStart,
  milestonesOf,
  type PageRequest,
  FIRST_PAGE,
} from '../../database/queries/deep-pages.js';
import type { EnrollmentStatus } from '../enrollments/enrollment.entity.js';
import { microsOf } from '../../common/lists/page-cursor.js';
import { literally } from '../../database/queries/literally.js';
import { matchesSearch } from './user-search.sql.js';
import { ACCOUNT_STATES, isAccountState, type UserState } from './user-state.js';

/** Columns for sorting a list that is not too long. */
export const USER_SORT_COLUMNS = ['name', 'last_sign_in', 'created'] as const;
export type UserSorting = Sorting<(typeof USER_SORT_COLUMNS)[number]>;

/** The tenant and the app of the enrollment `e`. */
const OF_ENROLLMENT = { tenant: 'e.tenant_id', app: 'e.app_id' };

const SORTED_BY: Readonly<Record<UserSorting['by'], string>> = {
  name: 'lower(u.display_name)',
  last_sign_in: 'u.last_login_at',
  created: 'u.created_at',
};

export interface UserFilter extends PageRequest {
  readonly scope: Scope;
  readonly appId?: string;
  /** State of the account, or of an enrollment: in `appId`, or in any app of the scope. */
  readonly state?: UserState;
  /** State of the enrollment, in addition to `state`. */
  readonly membership?: EnrollmentStatus;
  /** As typed: see {@link matchesSearch}. */
  readonly search?: string;
  /** Users with a matching name, if they are known. */
  readonly named?: readonly string[];
  /** If too many names match, only this many users are compared, newest first. */
  readonly within?: number;
  /** Null or absent: newest first. */
  readonly sorting?: UserSorting | null;
}

/**
 * The ids of one page plus the first of the next page, if there is one, each with `micros` for a cursor; newest first.
 * Every list is read from an index in its order, beginning at the page, so the cost does not depend on the number of
 * users.
 */
export function usersPageQuery(filter: UserFilter, { after, skip }: PageStart = FIRST_PAGE): Query {
  const { bind, values } = parameters();
  const edge = after && { side: 'behind' as const, cursor: after };
  const found = usersIn(filter, bind, bind(skip + filter.limit + 1), edge);
  const text = `SELECT page.id, ${microsOf('page.created_at')} AS micros FROM (
      SELECT found.* FROM (${found}) AS found
      ORDER BY found.created_at DESC, found.id DESC LIMIT ${bind(filter.limit + 1)} OFFSET ${bind(skip)}) AS page
    ORDER BY page.created_at DESC, page.id DESC`;
  return { text, values };
}

/** The ids of one page, sorted by a column. Reads all matching users, so only for a list of at most `most` users. */
export function sortedUsersQuery(filter: UserFilter, { by, isDescending }: UserSorting, most: number): Query {
  const { bind, values } = parameters();
  const { page, limit } = filter;
  const text = `SELECT u.id FROM (${usersIn(filter, bind, bind(most), null)}) AS found JOIN users u ON u.id = found.id
    ORDER BY ${SORTED_BY[by]} ${isDescending ? 'DESC' : 'ASC'} NULLS LAST, u.id
    LIMIT ${bind(limit)} OFFSET ${bind((page - 1) * limit)}`;
  return { text, values };
}

/** Number of users in total, or on one side of a position, counted up to `most`. */
export function usersCountQuery(filter: UserFilter, most: number, edge: PageBoundary | null = null): Query {
  const { bind, values } = parameters();
  return { text: `SELECT count(*)::int AS count FROM (${usersIn(filter, bind, bind(most), edge)}) AS found`, values };
}

/** See `DeepList.milestones`. */
export function usersMilestonesQuery(filter: UserFilter, every: number): Query {
  const { bind, values } = parameters();
  return { text: milestonesOf(usersIn(filter, bind, 'ALL', null), bind(every)), values };
}

/** Addresses that begin with the prefix, in byte order, which is the order of the index. */
export function usersPrefixQuery(scope: Scope, prefix: string, limit: number): Query {
  const { bind, values } = parameters();
  const pattern = bind(`${literally(prefix)}%`);
  const text = `SELECT u.id FROM users u WHERE u.email_canonical LIKE ${pattern} AND ${enrolledIn(scope, bind)}
    ORDER BY u.email_canonical USING ~<~ LIMIT ${bind(limit)}`;
  return { text, values };
}

function usersIn(filter: UserFilter, bind: BindParameter, reach: string, edge: PageBoundary | null): string {
  const { scope, appId, search, named, within, state, membership } = filter;
  const account = isAccountState(state) ? `AND ${ACCOUNT_STATES[state]}` : '';
  const statuses = [...(state && !isAccountState(state) ? [state] : []), ...(membership ? [membership] : [])];
  const status = statuses.map((each) => `AND e.status = '${each}'`).join(' ');
  const inState = account ? `AND EXISTS (SELECT FROM users u WHERE u.id = e.user_id ${account}) ${status}` : status;
  const inPart = (at: string, id: string): string => (edge ? isBeyond(edge, at, id, bind) : 'true');
  const listed = (condition: string, from = 'enrollments e'): string =>
    `SELECT DISTINCT e.user_created_at AS created_at, e.user_id AS id FROM ${from}
     WHERE ${condition} ${inState} AND ${inPart('e.user_created_at', 'e.user_id')} ORDER BY 1 DESC, 2 DESC LIMIT ${reach}`;
  if (search && within) {
    const newest = usersIn({ ...filter, search: undefined }, bind, bind(within), edge);
    return `SELECT newest.id, newest.created_at FROM (${newest}) AS newest,
        LATERAL (SELECT FROM users u WHERE u.id = newest.id AND ${matchesSearch(search, bind)} LIMIT 1) AS fits
      ORDER BY newest.created_at DESC, newest.id DESC LIMIT ${reach}`;
  }
  if (search) {
    const place = [...(appId ? [`e.app_id = ${bind(appId)}`] : []), inScope(scope, OF_ENROLLMENT, bind)].join(' AND ');
    const enrolled =
      appId || status || !scope.everything
        ? `AND EXISTS (SELECT FROM enrollments e WHERE e.user_id = u.id AND ${place} ${status})`
        : '';
    return `SELECT u.id, u.created_at FROM users u WHERE ${matchesSearch(search, bind, named)} ${account} ${enrolled} AND ${inPart('u.created_at', 'u.id')}
      ORDER BY u.created_at DESC, u.id DESC LIMIT ${reach}`;
  }
  if (appId) return listed(`e.app_id = ${bind(appId)} AND ${inScope(scope, OF_ENROLLMENT, bind)}`);
  if (scope.everything && status) return listed('true');
  if (scope.everything)
    return `SELECT u.id, u.created_at FROM users u WHERE ${inPart('u.created_at', 'u.id')} ${account}
      ORDER BY u.created_at DESC, u.id DESC LIMIT ${reach}`;
  return `SELECT DISTINCT created_at, id FROM (
      SELECT of_tenant.* FROM unnest(${bind(scope.tenantIds)}::uuid[]) AS scope (id),
        LATERAL (${listed('e.tenant_id = scope.id')}) AS of_tenant
      UNION ALL
      SELECT of_app.* FROM unnest(${bind(scope.appIds)}::uuid[]) AS scope (id),
        LATERAL (${listed('e.app_id = scope.id')}) AS of_app) AS e
    ORDER BY 1 DESC, 2 DESC LIMIT ${reach}`;
}

/** SQL condition: the user `u` is enrolled in an app of the scope. */
function enrolledIn(scope: Scope, bind: BindParameter): string {
  if (scope.everything) return 'true';
  return `EXISTS (SELECT FROM enrollments e WHERE e.user_id = u.id AND ${inScope(scope, OF_ENROLLMENT, bind)})`;
}
