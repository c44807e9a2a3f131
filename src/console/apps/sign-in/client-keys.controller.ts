import { Controller, Get, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import type { App } from '../../../apps/app/app.entity.js';
import { AppUpdateService } from '../../../apps/changes/app-update.service.js';
import type { FormError } from '../../../common/pages/form-error.js';
import { ConsolePage } from '../../frame/pages/console-page.js';
import {
  type ConsoleRequest,
  type Fields,
  FormFields,
  CurrentConsoleRequest,
} from '../../frame/requests/console-request.js';
import { formErrors } from '../../frame/lists/form-input.js';
import { AppPages } from '../page/app-pages.js';
import { appPath } from '../page/app-tabs.js';
import { clientKeysModel, readClientKeys } from './client-keys-form.js';

/** How an app's server authenticates: with its secret, or with its own key. */
@Controller('console/apps/:app_id/api-access/keys')
export class ClientKeysController {
  constructor(
    private readonly updates: AppUpdateService,
    private readonly pages: AppPages,
  ) {}

  @Get()
  @ConsolePage('app_admin', { recentSignIn: 'always' })
  async show(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.form(consoleRequest, response, await this.pages.governed(consoleRequest, id), null, []);
  }

  @Post()
  @ConsolePage('app_admin', { recentSignIn: 'always' })
  async save(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @FormFields() fields: Fields,
    @Res() response: Response,
  ): Promise<void> {
    const app = await this.pages.governed(consoleRequest, id);
    const form = readClientKeys(fields);
    if ('errors' in form) return this.form(consoleRequest, response, app, fields, form.errors);
    try {
      await this.updates.update(consoleRequest.ctx, id, form.input);
    } catch (error) {
      return this.form(consoleRequest, response, app, fields, formErrors(error));
    }
    const said = 'The authentication of the app’s server was saved.';
    await this.pages.redirectWithFlash(consoleRequest, response, appPath(app, 'api-access'), said);
  }

  private form(
    consoleRequest: ConsoleRequest,
    response: Response,
    app: App,
    fields: Fields | null,
    errors: readonly FormError[],
  ): Promise<void> {
    const page = { tab: 'api-access', view: 'client-keys', title: 'Client authentication' } as const;
    return this.pages.show(consoleRequest, response, app, { ...page, errors, model: clientKeysModel(app, fields) });
  }
}
