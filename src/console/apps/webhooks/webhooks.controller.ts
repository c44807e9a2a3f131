import { Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { PushConfigUpdate } from '../../../push/settings/push-settings.dto.js';
import { PushSettingsService } from '../../../push/settings/push-settings.service.js';
import { WebhookSecrets } from '../../../push/settings/webhook-secrets.service.js';
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
import { WebhooksTab } from './webhooks-tab.js';

/** An app's webhook: its URL and secret. */
@Controller('console/apps/:app_id/webhooks')
export class WebhooksTabController {
  constructor(
    private readonly settings: PushSettingsService,
    private readonly secrets: WebhookSecrets,
    private readonly tab: WebhooksTab,
    private readonly pages: AppPages,
  ) {}

  @Get()
  @ConsolePage('app_admin')
  show(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.tab.show(consoleRequest, request, response, id);
  }

  @Post()
  @ConsolePage('app_admin')
  async save(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @FormFields() fields: Fields,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const typed = fields['webhook_url'];
    // An empty field removes the existing address, which requires a confirmation on a separate page.
    if (typed === '')
      return this.pages.redirectWithFlash(consoleRequest, response, appPath({ id }, 'webhooks', '/remove'), null);
    const form = readForm(PushConfigUpdate, { webhook_url: typed });
    if ('errors' in form) return this.tab.show(consoleRequest, request, response, id, { fields, errors: form.errors });
    try {
      await this.settings.update(consoleRequest.ctx, id, form.input);
    } catch (error) {
      return this.tab.show(consoleRequest, request, response, id, { fields, errors: formErrors(error) });
    }
    await this.pages.redirectWithFlash(consoleRequest, response, appPath({ id }, 'webhooks'), 'The URL was saved.');
  }

  @Get('remove')
  @ConsolePage('app_admin')
  async askToRemove(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.tab.askToRemove(consoleRequest, response, id);
  }

  @Post('remove')
  @ConsolePage('app_admin')
  async remove(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.settings.update(consoleRequest.ctx, id, { webhook_url: null });
    const done = 'The URL was removed. No more events are sent.';
    await this.pages.redirectWithFlash(consoleRequest, response, appPath({ id }, 'webhooks'), done);
  }

  @Get('secret')
  @ConsolePage('app_admin', { recentSignIn: 'always' })
  async askRotation(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    const app = await this.pages.governed(consoleRequest, id);
    await this.pages.ask(consoleRequest, response, app, 'webhooks', {
      title: 'Regenerate the webhook secret?',
      lead: 'For 24 hours, messages are signed with both secrets, so that you can update the receiver.',
      isDanger: false,
      action: appPath(app, 'webhooks', '/secret'),
      button: 'Regenerate secret',
    });
  }

  /** Only this response shows the secret; no URL shows it again. */
  @Post('secret')
  @ConsolePage('app_admin', { recentSignIn: 'always' })
  async rotate(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { secret, previousUntil } = await this.secrets.rotate(consoleRequest.ctx, id);
    const shown = { value: secret, previousUntil };
    await this.tab.show(consoleRequest, request, response, id, { secret: shown });
  }
}
