import { Controller, Get, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { hasMinimumRole } from '../../auth/access/access.rules.js';
import { ConsolePage } from '../frame/pages/console-page.js';
import { ConsolePages } from '../frame/pages/console-pages.js';
import { type ConsoleRequest, CurrentConsoleRequest } from '../frame/requests/console-request.js';
import { column } from '../frame/lists/table-column.js';
import { FirstSteps } from './first-steps.js';
import { NewestApps } from './newest-apps.js';
import { OverviewNumbers } from './overview-numbers.js';
import { OverviewActivity } from './overview-activity.js';

const APP_COLUMNS = [
  column('Name and bundle ID'),
  column('Tenant'),
  column('State'),
  column('App ID', { className: 'col-id' }),
];

/** The dashboard: problems, recent activity, and what the operator administers. */
@Controller('console')
export class OverviewController {
  constructor(
    private readonly firstSteps: FirstSteps,
    private readonly newest: NewestApps,
    private readonly numbers: OverviewNumbers,
    private readonly happened: OverviewActivity,
    private readonly pages: ConsolePages,
  ) {}

  @Get()
  @ConsolePage('app_manager')
  async overview(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Query() query: Readonly<Record<string, unknown>>,
    @Res() response: Response,
  ): Promise<void> {
    const { authority } = consoleRequest.actor;
    const administersTenants = authority.platform || authority.tenants.size > 0;
    const seesNumbers = hasMinimumRole(authority, 'app_admin');
    const [apps, numbers, happened] = await Promise.all([
      this.newest.list(consoleRequest),
      seesNumbers ? this.numbers.read(consoleRequest, query) : null,
      seesNumbers ? this.happened.read(consoleRequest) : null,
    ]);
    await this.pages.show(consoleRequest, response, {
      view: 'overview',
      title: 'Overview',
      area: 'overview',
      model: {
        ...(await this.firstSteps.read(consoleRequest, response, apps)),
        numbers,
        failingWebhooks: happened?.failingWebhooks ?? [],
        deadJobs: happened?.deadJobs ?? 0,
        isCalm: happened !== null,
        activity: happened?.activity ?? [],
        appColumns: APP_COLUMNS,
        appCount: apps.total,
        mayCreateApp: administersTenants,
        apps: apps.rows,
        // The complete list, if the page does not show all apps.
        allAppsUrl: apps.total > apps.rows.length ? (administersTenants ? '/console/apps' : '/console/my-apps') : null,
      },
    });
  }
}
