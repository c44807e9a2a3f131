import { Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { RESERVED_BUNDLE_ID } from '../../../apps/settings/app-access.rules.js';
import { AppUpdate } from '../../../apps/settings/app.dto.js';
import { AppsService } from '../../../apps/directory/apps.service.js';
import { AppUpdateService } from '../../../apps/changes/app-update.service.js';
import { canAdministerApp } from '../../../common/actor.js';
import { ConsolePage } from '../../frame/pages/console-page.js';
import {
  type ConsoleRequest,
  type Fields,
  FormFields,
  CurrentConsoleRequest,
} from '../../frame/requests/console-request.js';
import { formErrors, readForm } from '../../frame/lists/form-input.js';
import { AppPages } from '../page/app-pages.js';
import { appPath } from '../page/app-tabs.js';
import { InvitesTab } from '../invites/invites-tab.js';
import { OverviewTab } from './overview-tab.js';
import { RESERVED } from './new-app.controller.js';

/** Overview of an app; app managers see its invites instead. */
@Controller('console/apps/:app_id')
export class OverviewTabController {
  constructor(
    private readonly apps: AppsService,
    private readonly updates: AppUpdateService,
    private readonly invites: InvitesTab,
    private readonly pages: AppPages,
    private readonly tab: OverviewTab,
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
    const app = await this.pages.governed(consoleRequest, id);
    const { framework, period } = request.query;
    await this.tab.show(consoleRequest, response, app, { framework, period });
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
    if ('errors' in form) return this.tab.show(consoleRequest, response, app, { fields, errors: form.errors });
    if (RESERVED_BUNDLE_ID.test(bundleId ?? ''))
      return this.tab.show(consoleRequest, response, app, { fields, errors: [RESERVED] });
    try {
      await this.updates.update(consoleRequest.ctx, id, form.input);
    } catch (error) {
      const errors = formErrors(error, { bundle_id_already_exists: 'bundle_id' });
      return this.tab.show(consoleRequest, response, app, { fields, errors });
    }
    await this.pages.redirectWithFlash(consoleRequest, response, appPath(app), 'The name was saved.');
  }

  @Post('on')
  @ConsolePage('tenant_admin')
  async switchOn(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    const app = await this.updates.update(consoleRequest.ctx, id, { is_active: true });
    await this.pages.redirectWithFlash(
      consoleRequest,
      response,
      appPath(app),
      `${app.name} is switched on. Users can sign in again.`,
    );
  }
}
