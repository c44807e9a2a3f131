import { Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { App } from '../../apps/app.entity.js';
import { redirectUrisOf } from '../../apps/redirect-uri.rules.js';
import { canAdministerTenant } from '../../common/actor.js';
import { Clock } from '../../common/clock.js';
import type { FormError } from '../../common/pages/form-error.js';
import { timeInWords } from '../../common/pages/time-in-words.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { StatisticsService } from '../../operations/statistics/statistics.service.js';
import { TenantsService } from '../../tenants/tenants.service.js';
import { statisticsCharts } from '../charts/statistics-charts.js';
import type { ConsoleRequest, Fields } from '../frame/console-request.js';
import { AppPages } from './app-pages.js';
import { hostedPageUrl, quickStart } from './quick-start.js';
import { mailsNoLinks } from './sign-in-form.js';

/** Days that the chart shows; it compares them with those before. */
const DAYS = 14;

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
    fields: Fields | null,
    errors: readonly FormError[],
  ): Promise<void> {
    const { baseUrl } = this.settings;
    const uris = redirectUrisOf(app, baseUrl);
    const [tenant, series] = await Promise.all([
      this.tenants.get(app.tenantId),
      this.statistics.read(consoleRequest.ctx, { days: 30, appId: app.id }),
    ]);
    const mayAdministerTenant = canAdministerTenant(consoleRequest.actor, app.tenantId);
    await this.pages.show(consoleRequest, response, app, {
      tab: 'overview',
      errors,
      model: {
        tenant: { id: tenant.id, name: tenant.name },
        name: fields?.['name'] ?? app.name,
        bundleId: fields?.['bundle_id'] ?? app.bundleId,
        created: timeInWords(app.createdAt, this.clock.now()),
        isOff: !app.isActive,
        mailsNoLinks: mailsNoLinks(app),
        maySwitch: mayAdministerTenant && !app.isConsoleApp,
        chart: statisticsCharts(series, DAYS)[0]!,
        quickStart: app.isConsoleApp ? null : quickStart(baseUrl, app.id, uris[0] ?? null),
        needsRedirectUri: uris.length === 0,
        hostedUrl: hostedPageUrl(baseUrl, app.id, uris),
      },
    });
  }
}
