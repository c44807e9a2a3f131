import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type Actor, administeredScope, type Scope } from '../../common/actor.js';
import type { RequestContext } from '../../common/request-context.js';
import { foldedEmail } from '../../common/validation/email.rules.js';
import type { User } from '../../users/user.entity.js';
import { UserNotFound } from '../../users/users.errors.js';
import type { UserFilter } from './user-list.query.js';
import { type UsersPage, VisibleUsersRepository } from './visible-users.repository.js';

const SEARCH_LIMIT = 10;
/**
 * Maximum number of users for which a list of invites, mails, devices or notifications is searched. Each is looked up
 * by key.
 */
export const MAX_FOUND = 100;
const APPS_NAMED = 2;

/** The users that match a search. */
export interface FoundUsers {
  readonly users: readonly User[];
  /** Whether there are more. */
  readonly isCut: boolean;
}

export interface AppsOfUser {
  readonly names: readonly string[];
  readonly total: number;
}

/** The users that the caller may see. All others look like unknown users. */
@Injectable()
export class VisibleUsers {
  constructor(private readonly users: VisibleUsersRepository) {}

  /** See {@link VisibleUsersRepository.list}. */
  list(ctx: RequestContext, filter: Omit<UserFilter, 'scope'>): Promise<UsersPage> {
    return this.users.list({ ...filter, scope: userScope(ctx.actor) });
  }

  /** Up to ten users, newest first, by part of the address, the words of the name, or the beginning of the id. */
  async search(ctx: RequestContext, search: string): Promise<User[]> {
    const { users } = await this.list(ctx, { search, page: 1, limit: SEARCH_LIMIT });
    return users;
  }

  /** The newest {@link MAX_FOUND} users that match a search, of one app or of all, for lists of their objects. */
  async find(ctx: RequestContext, search: string, appId?: string): Promise<FoundUsers> {
    const { users, hasMore, isCut } = await this.list(ctx, { search, appId, page: 1, limit: MAX_FOUND });
    return { users, isCut: hasMore || isCut };
  }

  /** Up to ten users, by the beginning of the address. */
  async searchByPrefix(ctx: RequestContext, prefix: string): Promise<User[]> {
    return this.users.searchByPrefix(userScope(ctx.actor), foldedEmail(prefix), SEARCH_LIMIT);
  }

  /** Ids of those of the users whom the caller may see. */
  visibleAmong(ctx: RequestContext, userIds: readonly string[], tx?: EntityManager): Promise<Set<string>> {
    return this.users.visibleAmong(userIds, userScope(ctx.actor), tx);
  }

  /** As {@link visibleAmong}, with all data, in the order of the ids. */
  listVisible(ctx: RequestContext, userIds: readonly string[]): Promise<User[]> {
    return this.users.listVisible(userIds, userScope(ctx.actor));
  }

  /** Names of the latest few apps of each of these users that the caller may see, and how many there are. */
  async listApps(ctx: RequestContext, userIds: readonly string[]): Promise<Map<string, AppsOfUser>> {
    const found = new Map<string, { names: string[]; total: number }>();
    for (const each of await this.users.listApps(userIds, userScope(ctx.actor), APPS_NAMED)) {
      const { userId, appName, isConsoleApp, tenantName, total } = each;
      const apps = found.get(userId) ?? { names: [], total };
      apps.names.push(isConsoleApp ? `Console of ${tenantName}` : appName);
      found.set(userId, apps);
    }
    return found;
  }

  /** @throws UserNotFound, also for a user outside the caller's authority */
  async getVisible(ctx: RequestContext, userId: string, tx?: EntityManager): Promise<User> {
    const user = await this.users.findVisible(userId, userScope(ctx.actor), tx);
    if (!user) throw new UserNotFound();
    return user;
  }
}

/** The users that a caller sees: a tenant admin those of the tenant, an app admin or service token those of the app. */
export function userScope(actor: Actor): Scope {
  if (actor.type === 'service') return { everything: false, tenantIds: [], appIds: [actor.appId] };
  return administeredScope(actor);
}
