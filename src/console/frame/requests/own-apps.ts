import { Injectable } from '@nestjs/common';
import { isSelfRegistered } from '../../../apps/app/app-origin.rules.js';
import type { ListedApp } from '../../../apps/app/app.entity.js';
import { AppsService } from '../../../apps/directory/apps.service.js';
import { administeredScope, canAdministerApp } from '../../../common/actor.js';
import { isUuid } from '../../../common/validation/fields.js';
import { TenantsService } from '../../../tenants/tenants.service.js';
import { searchText } from '../../../common/lists/search-text.js';
import type { ConsoleRequest } from './console-request.js';
import { TenantNames } from './tenant-names.js';

export interface OwnApp {
  readonly id: string;
  readonly name: string;
  /** Name of the app; for a Console app it contains the tenant. */
  readonly label: string;
  readonly tenantId: string;
  readonly tenantName: string;
  readonly isConsoleApp: boolean;
  readonly roles: readonly string[];
}

/** Which apps there are to choose from. */
export interface AppOffer {
  /** `visible`: includes apps to which the operator can only invite users. */
  readonly which?: 'governed' | 'visible';
  /** `operator`: without clients that have registered themselves, to which operators cannot add users. */
  readonly origin?: 'operator';
}

/** A choice of apps. */
export interface AppSelection {
  /** Ordered by name. */
  readonly apps: readonly OwnApp[];
  readonly search: string;
  /** True if there are more apps, or after a search: the page then has a search field. */
  readonly isSearchable: boolean;
  /** The only result of a search, which is preselected. */
  readonly hit: OwnApp | null;
}

/** Maximum number of options. Other apps are found with the search field. */
const MAX_APPS = 50;
const MAX_TENANTS = 5;

/** The apps of the chosen tenant whose members the operator administers, to choose one of them. */
@Injectable()
export class OwnApps {
  constructor(
    private readonly apps: AppsService,
    private readonly tenants: TenantsService,
    private readonly names: TenantNames,
  ) {}

  /**
   * @param typed text of the search field: part of a name, a bundle id or a tenant's name, or an id
   * @param chosenId always included if it is one of the apps
   */
  async select(
    consoleRequest: ConsoleRequest,
    typed: unknown,
    chosenId: unknown = null,
    { which = 'governed', ...of }: AppOffer = {},
  ): Promise<AppSelection> {
    const search = searchText(typed);
    const { found, isCut } = await this.search(consoleRequest, search, of);
    const own = which === 'visible' ? found : found.filter((app) => canAdministerApp(consoleRequest.actor, app));
    const isThere = own.some(({ id }) => id === chosenId);
    const chosen = isThere || typeof chosenId !== 'string' ? null : await this[which](consoleRequest, chosenId);
    const isOffered = chosen !== null && !(of.origin && isSelfRegistered(chosen));
    const apps = await this.named([...(isOffered ? [chosen] : []), ...own]);
    apps.sort((a, b) => a.label.localeCompare(b.label));
    const hit = search !== '' && own.length === 1 ? (apps.find(({ id }) => id === own[0]!.id) ?? null) : null;
    return { apps, search, isSearchable: isCut || search !== '', hit };
  }

  /** Null if it is not one of the operator's apps. */
  async find(consoleRequest: ConsoleRequest, id: string): Promise<OwnApp | null> {
    const app = await this.governed(consoleRequest, id);
    return app && (await this.named([app]))[0]!;
  }

  private async governed({ actor }: ConsoleRequest, id: string): Promise<ListedApp | null> {
    const app = isUuid(id) ? await this.apps.find(id.toLowerCase()) : null;
    return app && canAdministerApp(actor, app) ? app : null;
  }

  private async visible({ ctx }: ConsoleRequest, id: string): Promise<ListedApp | null> {
    const { apps } = await this.apps.list(ctx, { page: 1, limit: 1, search: id });
    return apps.find((app) => app.id === id.toLowerCase()) ?? null;
  }

  /** Searches the apps, and includes all apps of tenants with a matching name. */
  private async search(
    { listCtx: ctx }: ConsoleRequest,
    search: string,
    of: Pick<AppOffer, 'origin'>,
  ): Promise<{ found: ListedApp[]; isCut: boolean }> {
    const page = { ...of, page: 1, limit: MAX_APPS };
    const byName = await this.apps.list(ctx, { ...page, ...(search ? { search } : {}) });
    if (!search) return { found: byName.apps, isCut: byName.total > byName.apps.length };
    const tenantsPage = { page: 1, limit: MAX_TENANTS, search };
    const { tenants } = await this.tenants.listPage(administeredScope(ctx.actor), tenantsPage);
    const [consoles, ofTenants] = await Promise.all([
      Promise.all(tenants.map(({ id }) => this.apps.getConsole(id))),
      Promise.all(tenants.map(({ id }) => this.apps.list(ctx, { ...page, tenantId: id }))),
    ]);
    const all = [...consoles, ...[byName, ...ofTenants].flatMap(({ apps }) => apps)];
    return { found: [...new Map(all.map((app) => [app.id, app])).values()], isCut: true };
  }

  private async named(apps: readonly ListedApp[]): Promise<OwnApp[]> {
    const names = await this.names.of(apps.map(({ tenantId }) => tenantId));
    return apps.map(({ id, name, tenantId, isConsoleApp, config }) => {
      const tenantName = names.get(tenantId) ?? '';
      return {
        id,
        name,
        label: isConsoleApp ? `Console of ${tenantName}` : name,
        tenantId,
        tenantName,
        isConsoleApp,
        roles: config.available_roles,
      };
    });
  }
}

/** Options of a `<select>`, grouped by tenant; the label is empty for the option that chooses no app. */
export interface AppChoices {
  readonly label: string;
  readonly options: readonly { readonly value: string; readonly label: string; readonly isChosen: boolean }[];
}

/** @param none label of the option that chooses no app */
export function appChoices(apps: readonly OwnApp[], chosenId: unknown, none?: string): AppChoices[] {
  const tenants = [...new Map(apps.map(({ tenantId, tenantName }) => [tenantId, tenantName]))];
  const groups = tenants
    .sort(([, a], [, b]) => a.localeCompare(b))
    .map(([tenant, label]) => ({
      label,
      options: apps
        .filter(({ tenantId }) => tenantId === tenant)
        .map(({ id, label }) => ({ value: id, label, isChosen: id === chosenId })),
    }));
  if (none === undefined) return groups;
  const isNone = !groups.some(({ options }) => options.some(({ isChosen }) => isChosen));
  return [{ label: '', options: [{ value: '', label: none, isChosen: isNone }] }, ...groups];
}
