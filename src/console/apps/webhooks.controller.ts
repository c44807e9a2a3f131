import { Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Clock } from '../../common/clock.js';
import { PushConfigUpdate } from '../../push/settings/push-settings.dto.js';
import { PushSettingsService } from '../../push/settings/push-settings.service.js';
import { WebhookSecrets } from '../../push/settings/webhook-secrets.service.js';
import { WebhooksService } from '../../push/webhooks/webhooks.service.js';
import { ConsolePage } from '../frame/console-page.js';
import { type ConsoleRequest, type Fields, FormFields, CurrentConsoleRequest } from '../frame/console-request.js';
import { formErrors, readForm } from '../frame/form-input.js';
import { column } from '../frame/table-column.js';
import { AppPages } from './app-pages.js';
import { appPath } from './app-tabs.js';
import { attemptRows, messageRow } from './webhook-rows.js';
import { WebhooksTab } from './webhooks-tab.js';

const ATTEMPT_COLUMNS = [column('Tried'), column('Answer')];

/** An app's webhook: its address and secret, what was sent there, the same again, a test. */
@Controller('console/apps/:app_id/webhooks')
export class WebhooksTabController {
  constructor(
    private readonly settings: PushSettingsService,
    private readonly secrets: WebhookSecrets,
    private readonly webhooks: WebhooksService,
    private readonly tab: WebhooksTab,
    private readonly pages: AppPages,
    private readonly clock: Clock,
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
    // None, where there is one, is asked for on a page of its own.
    if (typed === '')
      return this.pages.redirectWithFlash(consoleRequest, response, appPath({ id }, 'webhooks', '/remove'), null);
    const form = readForm(PushConfigUpdate, { webhook_url: typed });
    if ('errors' in form) return this.tab.show(consoleRequest, request, response, id, { fields, errors: form.errors });
    try {
      await this.settings.update(consoleRequest.ctx, id, form.input);
    } catch (error) {
      return this.tab.show(consoleRequest, request, response, id, { fields, errors: formErrors(error) });
    }
    await this.pages.redirectWithFlash(consoleRequest, response, appPath({ id }, 'webhooks'), 'The address is saved.');
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
    const done = 'The webhook has no address: nothing is sent.';
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

  /** The answer itself shows it: no address brings it back. */
  @Post('secret')
  @ConsolePage('app_admin', { recentSignIn: 'always' })
  async rotate(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { secret, previousUntil } = await this.secrets.rotate(consoleRequest.ctx, id);
    const shown = { value: secret, previousUntil: previousUntil.toUTCString() };
    await this.tab.show(consoleRequest, request, response, id, { secret: shown });
  }

  @Post('test')
  @ConsolePage('app_admin')
  async test(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    try {
      const messageId = await this.webhooks.test(consoleRequest.ctx, id);
      const path = appPath({ id }, 'webhooks', `/${messageId}`);
      await this.pages.redirectWithFlash(consoleRequest, response, path, 'The test event is on its way.');
    } catch (error) {
      return this.tab.show(consoleRequest, request, response, id, { errors: formErrors(error) });
    }
  }

  @Get(':message_id')
  @ConsolePage('app_admin')
  async showMessage(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Param('message_id') messageId: string,
    @Res() response: Response,
  ): Promise<void> {
    const app = await this.pages.governed(consoleRequest, id);
    const message = await this.webhooks.get(consoleRequest.ctx, id, messageId);
    const now = this.clock.now();
    await this.pages.show(consoleRequest, response, app, {
      tab: 'webhooks',
      view: 'webhook-message',
      title: 'Message',
      model: {
        message: messageRow(app, message, now),
        body: message.body,
        columns: ATTEMPT_COLUMNS,
        attempts: attemptRows(message, now),
      },
    });
  }

  @Post(':message_id/replay')
  @ConsolePage('app_admin')
  async replay(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Param('message_id') messageId: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    try {
      await this.webhooks.replay(consoleRequest.ctx, id, messageId);
    } catch (error) {
      return this.tab.show(consoleRequest, request, response, id, { errors: formErrors(error) });
    }
    const path = appPath({ id }, 'webhooks', `/${messageId}`);
    await this.pages.redirectWithFlash(
      consoleRequest,
      response,
      path,
      'The message is on its way again, with the same id and body.',
    );
  }
}
