import { Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Clock } from '../../../common/clock.js';
import { WebhooksService } from '../../../push/webhooks/endpoints/webhooks.service.js';
import { WebhookLog } from '../../../push/webhooks/messages/webhook-log.service.js';
import { ConsolePage } from '../../frame/pages/console-page.js';
import { type ConsoleRequest, CurrentConsoleRequest } from '../../frame/requests/console-request.js';
import { formErrors } from '../../frame/lists/form-input.js';
import { column } from '../../frame/lists/table-column.js';
import { AppPages } from '../page/app-pages.js';
import { appPath } from '../page/app-tabs.js';
import { attemptRows, messageRow, replayedInWords, readableBody } from './webhook-rows.js';
import { WebhooksTab } from './webhooks-tab.js';

const ATTEMPT_COLUMNS = [column('Tried'), column('Answer')];

/** Messages to an app's webhook: lists them, sends them again, sends a test. */
@Controller('console/apps/:app_id/webhooks')
export class WebhookMessagesController {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly log: WebhookLog,
    private readonly tab: WebhooksTab,
    private readonly pages: AppPages,
    private readonly clock: Clock,
  ) {}

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
      await this.pages.redirectWithFlash(consoleRequest, response, path, 'The test event is being sent.');
    } catch (error) {
      return this.tab.show(consoleRequest, request, response, id, { errors: formErrors(error) });
    }
  }

  @Get('replay-failed')
  @ConsolePage('app_admin')
  async askToReplayFailed(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.tab.askToReplayFailed(consoleRequest, response, id);
  }

  @Post('replay-failed')
  @ConsolePage('app_admin')
  async replayFailed(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    try {
      const replayed = await this.webhooks.replayFailed(consoleRequest.ctx, id);
      const path = appPath({ id }, 'webhooks');
      await this.pages.redirectWithFlash(consoleRequest, response, path, replayedInWords(replayed));
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
    const message = await this.log.get(consoleRequest.ctx, id, messageId);
    const now = this.clock.now();
    await this.pages.show(consoleRequest, response, app, {
      tab: 'webhooks',
      view: 'webhook-message',
      title: 'Message',
      model: {
        message: messageRow(app, message, now),
        body: readableBody(message.body),
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
      'The message is being sent again, with the same ID and body.',
    );
  }
}
