import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, In, Repository } from 'typeorm';
import type { Scope } from '../../common/actor.js';
import { type PageCursor, writeCursor } from '../../common/lists/page-cursor.js';
import { DeepPages, type PageBoundary, type PageStart } from '../../database/queries/deep-pages.js';
import type { Query } from '../../database/queries/query.js';
import { User } from '../../users/user.entity.js';
import { namedQuery } from './user-search.sql.js';
import { type AppOfUser, appsOfUsersQuery } from './apps-of-users.query.js';
import {
  type UserFilter,
  usersCountQuery,
  usersMilestonesQuery,
  usersPageQuery,
  usersPrefixQuery,
  type UserSorting,
  sortedUsersQuery,
} from './user-list.query.js';

export interface UsersPage {
  readonly users: User[];
  /** Null if counting would take longer than reading the page. */
  readonly total: number | null;
  /** Cursor of the next page, if there is one and the list is newest first. */
  readonly next: string | null;
  readonly hasMore: boolean;
  /** Whether the list is short enough to be sorted. */
  readonly isSortable: boolean;
  /** True if only the next {@link MAX_COMPARED} users were compared; `next` continues after them. */
  readonly isCut: boolean;
}

/** Counting or sorting this many users costs about as much as reading the page. */
const MAX_COUNTED = 1_000;
/** With more matching names than this, users are not looked up by id. */
const MAX_NAMED = 2_000;
/** In that case, this many users are compared with the search, newest first. */
const MAX_COMPARED = 20_000;

/** SQL condition: the user is enrolled in an app of the scope. */
const ENROLLED_IN_SCOPE = `EXISTS (
  SELECT 1 FROM enrollments e JOIN apps a ON a.id = e.app_id
  WHERE e.user_id = "user".id AND (a.tenant_id = ANY(:tenantIds) OR a.id = ANY(:appIds)))`;

/** Users as an administrator may see them. Rows are limited by enrollment here and nowhere else. */
@Injectable()
export class VisibleUsersRepository {
  constructor(
    @InjectRepository(User) private readonly users: Repository<User>,
    private readonly deepPages: DeepPages,
  ) {}

  /** Newest first, or in the requested order if the list is short enough. */
  async list(requested: UserFilter): Promise<UsersPage> {
    const filter = await this.bounded(requested);
    const sorted = filter.sorting && !filter.within ? await this.listSorted(filter, filter.sorting) : null;
    if (sorted) return sorted;
    const start = await this.startOfPage(filter);
    const found = await this.ask<PageCursor>(usersPageQuery(filter, start));
    const page = found.slice(0, filter.limit);
    const more = found.length > page.length;
    const users = await this.load(page.map(({ id }) => id));
    const last = filter.within && !more ? await this.lastCompared(filter, start) : null;
    if (last) return { users, total: null, next: writeCursor(last), hasMore: false, isSortable: false, isCut: true };
    const total = await this.total(filter, page.length, more);
    return {
      users,
      total,
      next: more ? writeCursor(page.at(-1)!) : null,
      hasMore: more,
      isSortable: total !== null && total <= MAX_COUNTED && !filter.within,
      isCut: false,
    };
  }

  /**
   * Bounds the cost of a search for any words: either the matching users are known, or a limited number of users is
   * compared.
   */
  private async bounded(filter: UserFilter): Promise<UserFilter> {
    const query = filter.search ? namedQuery(filter.search, MAX_NAMED + 1) : null;
    if (!query) return filter;
    const named = (await this.ask<{ id: string }>(query)).map(({ id }) => id);
    return named.length > MAX_NAMED ? { ...filter, within: MAX_COMPARED } : { ...filter, named };
  }

  /** Position of the last compared user; null if the comparison reached the end of the list. */
  private async lastCompared(filter: UserFilter, { after }: PageStart): Promise<PageCursor | null> {
    const all = { ...filter, search: undefined, limit: 1 };
    const [last] = await this.ask<PageCursor>(usersPageQuery(all, { after, skip: MAX_COMPARED - 1 }));
    return last ?? null;
  }

  /** Null if there are too many users. */
  private async listSorted(filter: UserFilter, sorting: UserSorting): Promise<UsersPage | null> {
    const total = await this.count(filter, MAX_COUNTED + 1);
    if (total > MAX_COUNTED) return null;
    const found = await this.ask<{ id: string }>(sortedUsersQuery(filter, sorting, MAX_COUNTED));
    const hasMore = filter.page * filter.limit < total;
    return {
      users: await this.load(found.map(({ id }) => id)),
      total,
      next: null,
      hasMore,
      isSortable: true,
      isCut: false,
    };
  }

  /** Users whose address begins with the prefix, in order; at most `limit`. */
  async searchByPrefix(scope: Scope, prefix: string, limit: number): Promise<User[]> {
    const found = await this.ask<{ id: string }>(usersPrefixQuery(scope, prefix, limit));
    return this.load(found.map(({ id }) => id));
  }

  /** Ids of those of the users who are in the scope. */
  async visibleAmong(userIds: readonly string[], scope: Scope, tx?: EntityManager): Promise<Set<string>> {
    const query = (tx?.getRepository(User) ?? this.users)
      .createQueryBuilder('user')
      .select('user.id', 'id')
      .where('user.id = ANY(:userIds)', { userIds });
    if (!scope.everything) query.andWhere(ENROLLED_IN_SCOPE, scope);
    const rows = await query.getRawMany<{ id: string }>();
    return new Set(rows.map((row) => row.id));
  }

  /** Those of the users who are in the scope, in the order of the ids. */
  async listVisible(userIds: readonly string[], scope: Scope): Promise<User[]> {
    const visible = await this.visibleAmong(userIds, scope);
    return this.load(userIds.filter((id) => visible.has(id)));
  }

  /** The latest apps of each of these users within the scope, at most `most` for each user. */
  listApps(userIds: readonly string[], scope: Scope, most: number): Promise<AppOfUser[]> {
    return this.ask<AppOfUser>(appsOfUsersQuery(scope, userIds, most));
  }

  findVisible(userId: string, scope: Scope, tx?: EntityManager): Promise<User | null> {
    const query = (tx?.getRepository(User) ?? this.users)
      .createQueryBuilder('user')
      .where('user.id = :userId', { userId });
    if (!scope.everything) query.andWhere(ENROLLED_IN_SCOPE, scope);
    return query.getOne();
  }

  private startOfPage(filter: UserFilter): Promise<PageStart> {
    return this.deepPages.find('people', filter, {
      milestones: (every) => this.ask<PageCursor>(usersMilestonesQuery(filter, every)),
      countAhead: (cursor, most) => this.count(filter, most, { side: 'ahead of', cursor }),
    });
  }

  /**
   * The last page determines the total without counting, unless it is empty; otherwise users are counted, up to a
   * limit.
   */
  private async total(filter: UserFilter, rows: number, more: boolean): Promise<number | null> {
    if (!more && !filter.cursor && (rows > 0 || filter.page === 1)) return (filter.page - 1) * filter.limit + rows;
    const count = await this.count(filter, MAX_COUNTED + 1);
    return count > MAX_COUNTED ? null : count;
  }

  private async count(filter: UserFilter, most: number, edge?: PageBoundary): Promise<number> {
    const [found] = await this.ask<{ count: number }>(usersCountQuery(filter, most, edge));
    return found!.count;
  }

  private ask<Row>({ text, values }: Query): Promise<Row[]> {
    return this.users.query<Row[]>(text, values);
  }

  /** In the order of the ids, without users who were deleted in the meantime. */
  private async load(ids: readonly string[]): Promise<User[]> {
    if (ids.length === 0) return [];
    const users = new Map((await this.users.findBy({ id: In([...ids]) })).map((user) => [user.id, user]));
    return ids.map((id) => users.get(id)).filter((user) => user !== undefined);
  }
}
