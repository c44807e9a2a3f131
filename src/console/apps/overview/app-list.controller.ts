import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { AppOrigin } from '../../../apps/app/app-origin.rules.js';
import type { ListedApp } from '../../../apps/app/app.entity.js';
import { AppsService } from '../../../apps/directory/apps.service.js';
import { hasMinimumRole } from '../../../auth/access/access.rules.js';
import { canAdministerApp } from '../../../common/actor.js';
import { isUuid } from '../../../common/validation/fields.js';
import { ConsolePage } from '../../frame/pages/console-page.js';
import { ConsolePages } from '../../frame/pages/console-pages.js';
import { type ConsoleRequest, CurrentConsoleRequest } from '../../frame/requests/console-request.js';
import { pagerOf, readChosenPage } from '../../frame/lists/pager.js';
import { TenantNames } from '../../frame/requests/tenant-names.js';
import { sortableColumn } from '../../frame/lists/sortable-column.js';
import { APP_SORT_COLUMNS } from '../../../apps/app/app-sort.js';
import { readSorting } from '../../../common/lists/sorting.js';
import { column } from '../../frame/lists/table-column.js';
import { appPath } from '../page/app-tabs.js';
import { searchText } from '../../../common/lists/search-text.js';
import { TenantOptions } from './tenant-options.js';

interface ListQuery {
  readonly q?: unknown;
  readonly tenant_id?: unknown;
  readonly page?: unknown;
  readonly per_page?: unknown;
  readonly sort?: unknown;
  readonly archived?: unknown;
  readonly system?: unknown;
}

/** The apps of a tenant or of all tenants, or the apps of an operator who governs only some. */
@Controller('console')
export class AppListController {
  constructor(
    private readonly apps: AppsService,
    private readonly tenants: TenantOptions,
    private readonly names: TenantNames,
    private readonly pages: ConsolePages,
  ) {}

  @Get('apps')
  @ConsolePage('app_manager')
  async list(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Query() query: ListQuery,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    if (!hasMinimumRole(consoleRequest.actor.authority, 'tenant_admin'))
      return this.pages.redirectWithFlash(consoleRequest, response, '/console/my-apps', null);
    const { chosenTenantId } = consoleRequest;
    const tenantId = isUuid(query.tenant_id) ? String(query.tenant_id).toLowerCase() : chosenTenantId;
    const options = chosenTenantId ? [] : await this.tenants.list(consoleRequest, tenantId);
    await this.show(consoleRequest, request, response, query, {
      view: 'apps/list',
      title: 'Apps',
      tenantId,
      model: {
        tenants: options.length > 1 ? [{ value: '', label: 'All tenants', isChosen: !tenantId }, ...options] : [],
        isFiltered: tenantId !== chosenTenantId || searchText(query.q) !== '',
        isArchive: query.archived === '1',
        showsSystem: query.system === '1',
        newUrl: `/console/apps/new${tenantId ? `?tenant_id=${tenantId}` : ''}`,
      },
    });
  }

  @Get('my-apps')
  @ConsolePage('app_manager')
  mine(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Query() query: ListQuery,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const model = {
      isFiltered: searchText(query.q) !== '',
      seesAll: hasMinimumRole(consoleRequest.actor.authority, 'tenant_admin'),
    };
    return this.show(consoleRequest, request, response, query, {
      view: 'apps/mine',
      title: 'My apps',
      tenantId: null,
      model,
    });
  }

  private async show(
    consoleRequest: ConsoleRequest,
    request: Request,
    response: Response,
    query: ListQuery,
    page: { view: string; title: string; tenantId: string | null; model: Record<string, unknown> },
  ): Promise<void> {
    const search = searchText(query.q);
    const paged = readChosenPage({ ...query });
    const archived = query.archived === '1';
    // Hides the Console apps, where tenants' admins sign in, unless they are asked for or there is a search.
    const withoutConsole = page.view === 'apps/list' && query.system !== '1' && search === '';
    const filter = { tenantId: page.tenantId ?? undefined, search: search || undefined, archived, withoutConsole };
    const sorting = readSorting(query.sort, APP_SORT_COLUMNS);
    const { apps, total } = await this.apps.list(consoleRequest.ctx, { ...filter, ...paged, sorting });
    const names = await this.names.of(apps.map(({ tenantId }) => tenantId));
    // Not needed if all apps of an operator belong to the same tenant.
    const { platform } = consoleRequest.actor.authority;
    const showsTenant = platform || new Set(apps.map(({ tenantId }) => tenantId)).size > 1;
    await this.pages.show(consoleRequest, response, {
      view: page.view,
      title: page.title,
      area: 'apps',
      tenantId: page.tenantId ?? undefined,
      model: {
        ...page.model,
        search,
        showsTenant,
        columns: [
          sortableColumn(request, sorting, 'name', 'Name and bundle ID'),
          ...(showsTenant ? [column('Tenant')] : []),
          sortableColumn(request, sorting, 'state', 'State'),
          column('App ID', { className: 'col-id' }),
        ],
        apps: apps.map((app) => rowOf(consoleRequest, app, names.get(app.tenantId) ?? '')),
        pager: pagerOf(request, { ...paged, total, count: apps.length }),
      },
    });
  }
}

/** Shown instead of a bundle ID, which a self-registered client does not choose. */
const SELF_REGISTERED: Readonly<Record<AppOrigin, string | null>> = {
  operator: null,
  metadata_document: 'Client ID Metadata Document',
  dynamic_registration: 'Dynamic client registration',
};

function rowOf({ actor }: ConsoleRequest, app: ListedApp, tenantName: string) {
  const { id, name, bundleId, isActive, archivedAt, isConsoleApp, origin } = app;
  const standing = canAdministerApp(actor, app) ? 'Admin' : 'Manager';
  // An app manager must not see the settings of an app.
  const isOpen = canAdministerApp(actor, app);
  return {
    id,
    name: isConsoleApp ? `Console of ${tenantName}` : name,
    // The bundle ID of a Console app is derived from the tenant's id.
    note: isConsoleApp ? 'System app' : (SELF_REGISTERED[origin] ?? (isOpen ? bundleId : standing)),
    isActive,
    isArchived: archivedAt !== null,
    isConsoleApp,
    tenantName,
    standing,
    href: appPath(app),
  };
}
