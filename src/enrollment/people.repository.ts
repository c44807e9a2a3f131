import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, In, Repository } from 'typeorm';
import type { Scope } from '../common/actor.js';
import { type PageCursor, writeCursor } from '../common/page-cursor.js';
import { DeepPages, type PageBoundary, type PageStart } from '../database/deep-pages.js';
import type { Query } from '../database/query.js';
import { User } from '../users/user.entity.js';
import { type AppOfPerson, appsOfPeopleQuery } from './apps-of-people.query.js';
import {
  type PeopleFilter,
  peopleCountQuery,
  peopleMilestonesQuery,
  peoplePageQuery,
  peoplePrefixQuery,
  type PeopleSorting,
  sortedPeopleQuery,
} from './people-list.query.js';

export interface PeoplePage {
  readonly users: User[];
  /** Null where counting would take longer than the list itself. */
  readonly total: number | null;
  /** Cursor of the next page, if there is one and the list is newest first. */
  readonly next: string | null;
  readonly hasMore: boolean;
  /** Whether the list is short enough to be sorted. */
  readonly isSortable: boolean;
}

/** Counting so many, or sorting them, costs about as much as the page. */
const MAX_COUNTED = 1_000;

/** Whether a user is enrolled in something that the scope covers. */
const ENROLLED_IN_SCOPE = `EXISTS (
  SELECT 1 FROM enrollments e JOIN apps a ON a.id = e.app_id
  WHERE e.user_id = "user".id AND (a.tenant_id = ANY(:tenantIds) OR a.id = ANY(:appIds)))`;

/** Users as an administrator may see them: rows are cut by enrollment, here and nowhere else. */
@Injectable()
export class PeopleRepository {
  constructor(
    @InjectRepository(User) private readonly users: Repository<User>,
    private readonly deepPages: DeepPages,
  ) {}

  /** Newest first, or as it is to be sorted where it is not too long for that. */
  async list(filter: PeopleFilter): Promise<PeoplePage> {
    const sorted = filter.sorting ? await this.listSorted(filter, filter.sorting) : null;
    if (sorted) return sorted;
    const found = await this.ask<PageCursor>(peoplePageQuery(filter, await this.place(filter)));
    const page = found.slice(0, filter.limit);
    const more = found.length > page.length;
    const total = await this.total(filter, page.length, more);
    return {
      users: await this.load(page.map(({ id }) => id)),
      total,
      next: more ? writeCursor(page.at(-1)!) : null,
      hasMore: more,
      isSortable: total !== null && total <= MAX_COUNTED,
    };
  }

  /** Null where there are too many. */
  private async listSorted(filter: PeopleFilter, sorting: PeopleSorting): Promise<PeoplePage | null> {
    const total = await this.count(filter, MAX_COUNTED + 1);
    if (total > MAX_COUNTED) return null;
    const found = await this.ask<{ id: string }>(sortedPeopleQuery(filter, sorting, MAX_COUNTED));
    const hasMore = filter.page * filter.limit < total;
    return { users: await this.load(found.map(({ id }) => id)), total, next: null, hasMore, isSortable: true };
  }

  /** Addresses that begin with the prefix, in order; at most `limit`. */
  async searchByPrefix(scope: Scope, prefix: string, limit: number): Promise<User[]> {
    const found = await this.ask<{ id: string }>(peoplePrefixQuery(scope, prefix, limit));
    return this.load(found.map(({ id }) => id));
  }

  /** Which of these users fall into the scope. */
  async visibleAmong(userIds: readonly string[], scope: Scope, tx?: EntityManager): Promise<Set<string>> {
    const query = (tx?.getRepository(User) ?? this.users)
      .createQueryBuilder('user')
      .select('user.id', 'id')
      .where('user.id = ANY(:userIds)', { userIds });
    if (!scope.everything) query.andWhere(ENROLLED_IN_SCOPE, scope);
    const rows = await query.getRawMany<{ id: string }>();
    return new Set(rows.map((row) => row.id));
  }

  /** Of these users those who fall into the scope, in the order of the ids. */
  async listVisible(userIds: readonly string[], scope: Scope): Promise<User[]> {
    const visible = await this.visibleAmong(userIds, scope);
    return this.load(userIds.filter((id) => visible.has(id)));
  }

  /** The latest apps of each of these users, `most` for each, of those that the scope covers. */
  listApps(userIds: readonly string[], scope: Scope, most: number): Promise<AppOfPerson[]> {
    return this.ask<AppOfPerson>(appsOfPeopleQuery(scope, userIds, most));
  }

  findVisible(userId: string, scope: Scope, tx?: EntityManager): Promise<User | null> {
    const query = (tx?.getRepository(User) ?? this.users)
      .createQueryBuilder('user')
      .where('user.id = :userId', { userId });
    if (!scope.everything) query.andWhere(ENROLLED_IN_SCOPE, scope);
    return query.getOne();
  }

  private place(filter: PeopleFilter): Promise<PageStart> {
    return this.deepPages.find('people', filter, {
      milestones: (every) => this.ask<PageCursor>(peopleMilestonesQuery(filter, every)),
      countAhead: (place, most) => this.count(filter, most, { side: 'ahead of', place }),
    });
  }

  /** A last page that is not empty says how many there are; elsewhere they are counted, up to a bound. */
  private async total(filter: PeopleFilter, rows: number, more: boolean): Promise<number | null> {
    if (!more && !filter.cursor && (rows > 0 || filter.page === 1)) return (filter.page - 1) * filter.limit + rows;
    const count = await this.count(filter, MAX_COUNTED + 1);
    return count > MAX_COUNTED ? null : count;
  }

  private async count(filter: PeopleFilter, most: number, edge?: PageBoundary): Promise<number> {
    const [found] = await this.ask<{ count: number }>(peopleCountQuery(filter, most, edge));
    return found!.count;
  }

  private ask<Row>({ text, values }: Query): Promise<Row[]> {
    return this.users.query<Row[]>(text, values);
  }

  /** In the order of the ids; without those deleted since. */
  private async load(ids: readonly string[]): Promise<User[]> {
    if (ids.length === 0) return [];
    const users = new Map((await this.users.findBy({ id: In([...ids]) })).map((user) => [user.id, user]));
    return ids.map((id) => users.get(id)).filter((user) => user !== undefined);
  }
}
