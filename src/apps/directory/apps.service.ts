import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { EntityManager } from 'typeorm';
import { type Actor, authorityOf, canAdministerApp } from '../../common/actor.js';
import { InsufficientPermissions } from '../../common/http/http.refusals.js';
import type { RequestContext } from '../../common/request-context.js';
import { appScope, mayListTenant } from '../settings/app-access.rules.js';
import type { App, ListedApp } from '../app/app.entity.js';
import type { Tenant } from '../../tenants/tenant.entity.js';
import { isSelfRegistered } from '../app/app-origin.rules.js';
import { AppNotFound, AppRegisteredItself } from '../app/apps.errors.js';
import { type AppFilter, AppsRepository } from '../app/apps.repository.js';
import { LongLists } from './long-lists.js';
import { isAcceptedBy } from '../app/accepted-client.rules.js';

const APPS_PER_PART = 10;

type ListFilter = Omit<AppFilter, 'scope' | 'withoutConsole'> & { readonly withoutConsole?: boolean };

/** @throws InsufficientPermissions for a foreign `tenantId` */
function visibleTo(actor: Actor, { withoutConsole = actor.type === 'service', ...filter }: ListFilter): AppFilter {
  if (filter.tenantId && !mayListTenant(actor, filter.tenantId)) throw new InsufficientPermissions();
  return { ...filter, scope: appScope(actor), withoutConsole };
}

/** Reads apps, and decides which of them a caller sees. */
@Injectable()
export class AppsService {
  constructor(
    private readonly apps: AppsRepository,
    private readonly longLists: LongLists,
  ) {}

  find(id: string, tx?: EntityManager): Promise<App | null> {
    return this.apps.find(id, tx);
  }

  /** The tenants of these apps; unknown ids are left out. */
  listTenantsOf(ids: readonly string[]): Promise<Pick<App, 'id' | 'tenantId'>[]> {
    return this.apps.listTenantsOf(ids);
  }

  findByBundleId(bundleId: string): Promise<App | null> {
    return this.apps.findByBundleId(bundleId);
  }

  /** @throws AppNotFound */
  async get(id: string, tx?: EntityManager): Promise<App> {
    const app = await this.apps.find(id, tx);
    if (!app) throw new AppNotFound();
    return app;
  }

  /**
   * An app that the caller governs and may configure.
   * @throws AppNotFound (for platform admins only), InsufficientPermissions, AppRegisteredItself
   */
  async getAdministered(ctx: RequestContext, id: string, tx?: EntityManager): Promise<App> {
    const app = await this.getGoverned(ctx, id, tx);
    if (isSelfRegistered(app)) throw new AppRegisteredItself();
    return app;
  }

  /** As {@link getAdministered}, including self-registered clients: for reading, and for actions on members. */
  async getGoverned(ctx: RequestContext, id: string, tx?: EntityManager): Promise<App> {
    const app = await this.apps.find(id, tx);
    if (!app && authorityOf(ctx.actor).platform) throw new AppNotFound();
    if (!app || !canAdministerApp(ctx.actor, app)) throw new InsufficientPermissions();
    return app;
  }

  getPlatformConsole(): Promise<App> {
    return this.apps.getPlatformConsole();
  }

  /** The Console app, whose members are the tenant's admins. Every tenant has one. */
  getConsole(tenantId: string, tx?: EntityManager): Promise<App> {
    return this.apps.getConsole(tenantId, tx);
  }

  /**
   * Newest first, limited to what the caller may see; a foreign `tenantId` is refused. Service tokens see the apps of
   * their tenant without the Console app.
   */
  async list(ctx: RequestContext, filter: ListFilter): Promise<{ apps: ListedApp[]; total: number }> {
    return this.apps.list(visibleTo(ctx.actor, filter));
  }

  /**
   * As {@link list}, with pictures, in parts of 10 apps: all of them together may have hundreds of megabytes. The
   * generator reads each part when it is asked for it. A list of several parts waits for a place.
   * @throws ServiceUnavailable, ClientGone
   */
  async listInParts(
    ctx: RequestContext,
    filter: ListFilter,
    response: Response,
  ): Promise<{ parts: AsyncGenerator<App[]>; total: number }> {
    const { ids, total } = await this.apps.listIds(visibleTo(ctx.actor, filter));
    if (ids.length > APPS_PER_PART) await this.longLists.enter(ctx.actor, response);
    return { parts: this.parts(ids), total };
  }

  private async *parts(ids: readonly string[]): AsyncGenerator<App[]> {
    for (let at = 0; at < ids.length; at += APPS_PER_PART) yield this.apps.findAll(ids.slice(at, at + APPS_PER_PART));
  }

  /** Ids of a tenant's apps without its Console, ordered by bundle id. @param after as for {@link pageOfTenant} */
  idsOfTenant(tenantId: string, after: string, limit: number): Promise<Pick<App, 'id' | 'bundleId'>[]> {
    return this.apps.idsOfTenant(tenantId, after, limit);
  }

  /** A tenant's apps without its Console, ordered by bundle id. @param after the last bundle id of the page before */
  pageOfTenant(tenantId: string, after: string, limit: number): Promise<App[]> {
    return this.apps.pageOfTenant(tenantId, after, limit);
  }

  takenBundleIds(bundleIds: readonly string[], tx?: EntityManager): Promise<Set<string>> {
    return this.apps.takenBundleIds(bundleIds, tx);
  }

  /** The other push settings belong to `push`. */
  switchPush(tx: EntityManager, id: string, on: boolean): Promise<App> {
    return this.apps.update(tx, id, { pushEnabled: on });
  }

  /**
   * Self-registered clients that the tenant accepted with the settings before, and does not accept after the change.
   */
  async noLongerAccepted(tx: EntityManager, before: Tenant, after: Tenant): Promise<string[]> {
    const clients = await this.apps.selfRegisteredOf(tx, before.id);
    return clients.filter((each) => isAcceptedBy(each, before) && !isAcceptedBy(each, after)).map(({ id }) => id);
  }

  switchWithTenant(tx: EntityManager, tenantId: string, on: boolean): Promise<void> {
    return this.apps.switchWithTenant(tx, tenantId, on);
  }

  countByTenant(tenantIds: readonly string[]): ReturnType<AppsRepository['countByTenant']> {
    return this.apps.countByTenant(tenantIds);
  }
}
