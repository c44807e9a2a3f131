import { Controller, Get, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { TenantReader } from '../../admin/tenant-reader.service.js';
import { hasMinimumRole } from '../../auth/access/access.rules.js';
import { ConsolePage } from '../frame/console-page.js';
import { ConsolePages } from '../frame/console-pages.js';
import { type ConsoleRequest, CurrentConsoleRequest } from '../frame/console-request.js';
import { column } from '../frame/table-column.js';
import { NewestApps } from './newest-apps.js';
import { OverviewNumbers } from './overview-numbers.js';
import { setupSteps } from './setup-steps.rules.js';
import { WhatHappened } from './what-happened.js';

const ONE = { page: 1, limit: 1 };
const APP_COLUMNS = [
  column('Name and bundle id'),
  column('Tenant'),
  column('State'),
  column('App id', { className: 'col-id' }),
];

/** The dashboard: whether anything is wrong, what happened, and what there is to administer. */
@Controller('console')
export class OverviewController {
  constructor(
    private readonly tenants: TenantReader,
    private readonly newest: NewestApps,
    private readonly numbers: OverviewNumbers,
    private readonly happened: WhatHappened,
    private readonly pages: ConsolePages,
  ) {}

  @Get()
  @ConsolePage('app_manager')
  async overview(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Query() query: Readonly<Record<string, unknown>>,
    @Res() response: Response,
  ): Promise<void> {
    const { actor, listCtx, chosenTenantId } = consoleRequest;
    const { authority } = actor;
    const administersTenants = authority.platform || authority.tenants.size > 0;
    const seesNumbers = hasMinimumRole(authority, 'app_admin');
    const [tenants, apps, numbers, happened] = await Promise.all([
      administersTenants ? this.tenants.list(listCtx, ONE) : null,
      this.newest.list(consoleRequest),
      seesNumbers ? this.numbers.read(consoleRequest, query) : null,
      seesNumbers ? this.happened.read(consoleRequest) : null,
    ]);
    const isPlatformAdmin = authority.platform && !chosenTenantId;
    await this.pages.show(consoleRequest, response, {
      view: 'overview',
      title: 'Overview',
      area: 'overview',
      model: {
        isPlatformAdmin,
        chosenTenant: chosenTenantId && (tenants?.tenants[0]?.tenant.name ?? null),
        steps: apps.total === 0 ? setupSteps({ tenantCount: tenants?.total ?? null, isPlatformAdmin }) : [],
        numbers,
        failingWebhooks: happened?.failingWebhooks ?? [],
        deadJobs: happened?.deadJobs ?? 0,
        isCalm: happened !== null,
        activity: happened?.activity ?? [],
        appColumns: APP_COLUMNS,
        appCount: apps.total,
        apps: apps.rows,
        // The rest of what the heading counts.
        allAppsUrl: apps.total > apps.rows.length ? (administersTenants ? '/console/apps' : '/console/my-apps') : null,
      },
    });
  }
}
