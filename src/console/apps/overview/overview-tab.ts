import { Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { isSelfRegistered } from '../../../apps/app/app-origin.rules.js';
import type { App } from '../../../apps/app/app.entity.js';
import { redirectUrisOf } from '../../../apps/app/redirect-uri.rules.js';
import { canAdministerTenant } from '../../../common/actor.js';
import { Clock } from '../../../common/clock.js';
import type { FormError } from '../../../common/pages/form-error.js';
import { timeInWords } from '../../../common/pages/time-in-words.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import { StatisticsService } from '../../../operations/statistics/statistics.service.js';
import { TenantsService } from '../../../tenants/tenants.service.js';
import { periodCharts, periodLinks, readPeriod } from '../../charts/period.js';
import type { ConsoleRequest, Fields } from '../../frame/requests/console-request.js';
import { AppPages } from '../page/app-pages.js';
import { appPath } from '../page/app-tabs.js';
import { credentialsOf, startOf } from '../integration/integration.js';
import { hostedPageUrl } from '../integration/quick-start.js';
import { mailsNoLinks } from '../sign-in/sign-in-form.js';

/** Parameters of the page: framework of the snippets, period of the charts, and a form with its errors. */
export interface ShownOverview {
  readonly framework?: unknown;
  readonly period?: unknown;
  readonly fields?: Fields;
  readonly errors?: readonly FormError[];
}

/** What the overview tab of an app shows. */
@Injectable()
export class OverviewTab {
  constructor(
    private readonly tenants: TenantsService,
    private readonly statistics: StatisticsService,
    private readonly pages: AppPages,
    private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async show(
    consoleRequest: ConsoleRequest,
    response: Response,
    app: App,
    { framework, period: asked, fields, errors = [] }: ShownOverview,
  ): Promise<void> {
    const uris = redirectUrisOf(app, this.settings.baseUrl);
    const period = readPeriod(asked);
    const [tenant, charts] = await Promise.all([
      this.tenants.get(app.tenantId),
      periodCharts(this.statistics, consoleRequest.ctx, period, { appId: app.id }),
    ]);
    const mayAdministerTenant = canAdministerTenant(consoleRequest.actor, app.tenantId);
    await this.pages.show(consoleRequest, response, app, {
      tab: 'overview',
      errors,
      model: {
        tenant: { id: tenant.id, name: tenant.name },
        credentials: credentialsOf(app, this.settings.baseUrl, uris),
        start: app.isConsoleApp || isSelfRegistered(app) ? null : startOf(app, this.settings.baseUrl, uris, framework),
        name: fields?.['name'] ?? app.name,
        bundleId: fields?.['bundle_id'] ?? app.bundleId,
        created: timeInWords(app.createdAt, this.clock.now()),
        isOff: !app.isActive,
        mailsNoLinks: mailsNoLinks(app),
        maySwitch: mayAdministerTenant && !app.isConsoleApp,
        exportUrl: app.isConsoleApp || isSelfRegistered(app) ? null : `/console/export/app/${app.id}`,
        charts,
        periods: periodLinks(appPath(app), period),
        hostedUrl: hostedPageUrl(this.settings.baseUrl, app.id, uris),
      },
    });
  }
}
