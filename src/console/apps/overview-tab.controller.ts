import { Controller, Get, Inject, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { RESERVED_BUNDLE_ID } from '../../apps/app-access.rules.js';
import { AppUpdate } from '../../apps/app.dto.js';
import type { App } from '../../apps/app.entity.js';
import { AppsService } from '../../apps/apps.service.js';
import { redirectUrisOf } from '../../apps/redirect-uri.rules.js';
import type { FormError } from '../../common/pages/form-error.js';
import { canAdministerApp, canAdministerTenant } from '../../common/actor.js';
import { Clock } from '../../common/clock.js';
import { timeInWords } from '../../common/pages/time-in-words.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { StatisticsService } from '../../operations/statistics/statistics.service.js';
import { TenantsService } from '../../tenants/tenants.service.js';
import { statisticsCharts } from '../charts/statistics-charts.js';
import { ConsolePage } from '../frame/console-page.js';
import { type ConsoleRequest, type Fields, FormFields, CurrentConsoleRequest } from '../frame/console-request.js';
import { formErrors, readForm } from '../frame/form-input.js';
import { AppPages } from './app-pages.js';
import { appPath } from './app-tabs.js';
import { InvitesTab } from './invites-tab.js';
import { RESERVED } from './new-app.controller.js';
import { mailsNoLinks } from './sign-in-form.js';
import { hostedPageUrl, quickStart } from './quick-start.js';

/** Days that the chart shows; it compares them with those before. */
const DAYS = 14;

/** An app at a glance; for an app manager, its invites. */
@Controller('console/apps/:app_id')
export class OverviewTabController {
  constructor(
    private readonly apps: AppsService,
    private readonly tenants: TenantsService,
    private readonly statistics: StatisticsService,
    private readonly invites: InvitesTab,
    private readonly pages: AppPages,
    private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Get()
  @ConsolePage('app_manager')
  async show(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const found = await this.apps.find(id);
    if (found && !canAdministerApp(consoleRequest.actor, found))
      return this.invites.show(consoleRequest, request, response, id);
    await this.form(consoleRequest, response, await this.pages.governed(consoleRequest, id), null, []);
  }

  @Post()
  @ConsolePage('app_admin')
  async save(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @FormFields() fields: Fields,
    @Res() response: Response,
  ): Promise<void> {
    const app = await this.pages.governed(consoleRequest, id);
    const bundleId = app.isConsoleApp ? undefined : fields['bundle_id'];
    const form = readForm(AppUpdate, { name: fields['name'], bundle_id: bundleId });
    if ('errors' in form) return this.form(consoleRequest, response, app, fields, form.errors);
    if (RESERVED_BUNDLE_ID.test(bundleId ?? '')) return this.form(consoleRequest, response, app, fields, [RESERVED]);
    try {
      await this.apps.update(consoleRequest.ctx, id, form.input);
    } catch (error) {
      return this.form(
        consoleRequest,
        response,
        app,
        fields,
        formErrors(error, { bundle_id_already_exists: 'bundle_id' }),
      );
    }
    await this.pages.redirectWithFlash(consoleRequest, response, appPath(app), 'The name is saved.');
  }

  @Post('on')
  @ConsolePage('tenant_admin')
  async switchOn(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    const app = await this.apps.update(consoleRequest.ctx, id, { is_active: true });
    await this.pages.redirectWithFlash(
      consoleRequest,
      response,
      appPath(app),
      `${app.name} is switched on: people can sign in again.`,
    );
  }

  private async form(
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
