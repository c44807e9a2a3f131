import { Controller, Get, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import type { App } from '../../apps/app.entity.js';
import { AppUpdateService } from '../../apps/app-update.service.js';
import type { FormError } from '../../common/pages/form-error.js';
import { canAdministerTenant } from '../../common/actor.js';
import { PeopleService } from '../../enrollment/people.service.js';
import { StatisticsService } from '../../operations/statistics/statistics.service.js';
import { PushDevicesService } from '../../push/devices/push-devices.service.js';
import { isTyped, notTyped } from '../frame/confirmation.js';
import { ConsolePage } from '../frame/console-page.js';
import { type ConsoleRequest, type Fields, FormFields, CurrentConsoleRequest } from '../frame/console-request.js';
import { AppPages } from './app-pages.js';
import { appPath } from './app-tabs.js';

/** Switches an app off. */
@Controller('console/apps/:app_id')
export class DangerTabController {
  constructor(
    private readonly updates: AppUpdateService,
    private readonly people: PeopleService,
    private readonly devices: PushDevicesService,
    private readonly statistics: StatisticsService,
    private readonly pages: AppPages,
  ) {}

  @Get('danger')
  @ConsolePage('app_admin')
  async show(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    const app = await this.pages.governed(consoleRequest, id);
    await this.pages.show(consoleRequest, response, app, {
      tab: 'danger',
      model: {
        isOff: !app.isActive,
        isArchived: app.archivedAt !== null,
        archiveUrl: appPath(app, 'danger', '/archive'),
        restoreAction: appPath(app, 'danger', '/restore'),
        maySwitch: canAdministerTenant(consoleRequest.actor, app.tenantId) && !app.isConsoleApp,
        offUrl: appPath(app, 'danger', '/off'),
        onAction: appPath(app, 'overview', '/on'),
        impact: await this.impact(consoleRequest, app),
      },
    });
  }

  @Get('danger/off')
  @ConsolePage('tenant_admin')
  async ask(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.question(consoleRequest, response, await this.pages.governed(consoleRequest, id), []);
  }

  @Post('danger/off')
  @ConsolePage('tenant_admin')
  async switchOff(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @FormFields() fields: Fields,
    @Res() response: Response,
  ): Promise<void> {
    const app = await this.pages.governed(consoleRequest, id);
    if (!isTyped(fields, app.name)) return this.question(consoleRequest, response, app, notTyped());
    await this.updates.update(consoleRequest.ctx, id, { is_active: false });
    await this.pages.redirectWithFlash(
      consoleRequest,
      response,
      appPath(app),
      `${app.name} is switched off. Users can’t sign in to it.`,
    );
  }

  private async question(
    consoleRequest: ConsoleRequest,
    response: Response,
    app: App,
    errors: readonly FormError[],
  ): Promise<void> {
    await this.pages.ask(consoleRequest, response, app, 'danger', {
      title: `Switch ${app.name} off?`,
      lead: 'Users can no longer sign in or refresh tokens, and service tokens and notifications stop at once. All data is kept and works again when you switch the app on.',
      impact: await this.impact(consoleRequest, app),
      typeToConfirm: app.name,
      action: appPath(app, 'danger', '/off'),
      button: 'Switch app off',
      errors,
    });
  }

  /** In numbers. */
  private async impact({ ctx }: ConsoleRequest, app: App): Promise<{ label: string; value: string }[]> {
    const [people, devices, { counts }] = await Promise.all([
      this.people.list(ctx, { appId: app.id, page: 1, limit: 1 }),
      this.devices.count(app.id),
      this.statistics.read(ctx, { unit: 'day', length: 14, appId: app.id }),
    ]);
    const signIns = counts.sign_ins.reduce((sum, count) => sum + count, 0);
    return [
      { label: 'Members', value: people.total === null ? 'more than 1,000' : people.total.toLocaleString('en') },
      { label: 'Sign-ins in 14 days', value: signIns.toLocaleString('en') },
      { label: 'Registered devices', value: devices.toLocaleString('en') },
      { label: 'Service scopes', value: app.serviceScopes.join(', ') || 'None' },
    ];
  }
}
