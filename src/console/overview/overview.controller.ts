import { Controller, Get, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { hasMinimumRole } from '../../auth/access/access.rules.js';
import { TenantReader } from '../../admin/tenant-reader.service.js';
import { AppsService } from '../../apps/apps.service.js';
import { StatisticsService } from '../../operations/statistics/statistics.service.js';
import { ConsolePage } from '../frame/console-page.js';
import { statisticsCharts } from '../charts/statistics-charts.js';
import { ConsolePages } from '../frame/console-pages.js';
import { column } from '../frame/table-column.js';
import { TenantNames } from '../frame/tenant-names.js';
import { type ConsoleRequest, CurrentConsoleRequest } from '../frame/console-request.js';

const NEWEST = { page: 1, limit: 50 };
const TENANT_COLUMNS = [
  column('Name and slug'),
  column('State'),
  column('Apps', { className: 'number' }),
  column('Users', { className: 'number' }),
  column('Tenant id', { className: 'col-id' }),
];
const APP_COLUMNS = [
  column('Name and bundle id'),
  column('Tenant'),
  column('State'),
  column('App id', { className: 'col-id' }),
];

function tenantsUrl(isPlatformAdmin: boolean): string {
  return isPlatformAdmin ? '/console/tenants' : '/console/pick-tenant';
}

/** The dashboard: what there is to administer. */
@Controller('console')
export class OverviewController {
  constructor(
    private readonly tenants: TenantReader,
    private readonly apps: AppsService,
    private readonly statistics: StatisticsService,
    private readonly names: TenantNames,
    private readonly pages: ConsolePages,
  ) {}

  @Get()
  @ConsolePage('app_manager')
  async overview(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Query('days') days: unknown,
    @Res() response: Response,
  ): Promise<void> {
    const { actor, listCtx, chosenTenantId } = consoleRequest;
    const { authority } = actor;
    const administersTenants = authority.platform || authority.tenants.size > 0;
    const shown = days === '30' ? 30 : 14;
    const seesNumbers = hasMinimumRole(authority, 'app_admin');
    const [{ tenants, total: tenantCount }, { apps, total: appCount }, series] = await Promise.all([
      administersTenants ? this.tenants.list(listCtx, NEWEST) : { tenants: [], total: 0 },
      this.apps.list(listCtx, NEWEST),
      seesNumbers ? this.statistics.read(listCtx, { days: 30 }) : null,
    ]);
    const tenantNames = await this.names.of(apps.map(({ tenantId }) => tenantId));
    await this.pages.show(consoleRequest, response, {
      view: 'overview',
      title: 'Overview',
      area: 'overview',
      model: {
        tenantColumns: TENANT_COLUMNS,
        appColumns: APP_COLUMNS,
        isPlatformAdmin: authority.platform && !chosenTenantId,
        chosenTenant: chosenTenantId && (tenants[0]?.tenant.name ?? null),
        charts: series ? statisticsCharts(series, shown) : [],
        spans: [14, 30].map((span) => ({
          label: `${span} days`,
          href: span === 14 ? '/console/' : `/console/?days=${span}`,
          isCurrent: span === shown,
        })),
        administersTenants,
        tenantCount,
        appCount,
        // The rest of what the headings count.
        allTenantsUrl: tenantCount > tenants.length ? tenantsUrl(authority.platform) : null,
        allAppsUrl: appCount > apps.length ? (administersTenants ? '/console/apps' : '/console/my-apps') : null,
        tenants: tenants.map(({ tenant, appCount: apps, userCount }) => ({
          id: tenant.id,
          name: tenant.name,
          slug: tenant.slug,
          isActive: tenant.isActive,
          appCount: apps,
          userCount,
          href: authority.platform ? `/console/tenants/${tenant.id}` : `/console/select-tenant/${tenant.id}`,
        })),
        apps: apps.map((app) => ({
          id: app.id,
          name: app.name,
          bundleId: app.bundleId,
          isActive: app.isActive,
          tenantName: tenantNames.get(app.tenantId) ?? '',
        })),
      },
    });
  }
}
