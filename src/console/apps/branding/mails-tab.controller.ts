import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { ConsolePage } from '../../frame/pages/console-page.js';
import { type ConsoleRequest, CurrentConsoleRequest } from '../../frame/requests/console-request.js';
import { MailList } from '../../mails/mail-list.js';
import { AppPages } from '../page/app-pages.js';
import { appPath } from '../page/app-tabs.js';

/** What was mailed in the name of an app. */
@Controller('console/apps/:app_id/mails')
export class MailsTabController {
  constructor(
    private readonly pages: AppPages,
    private readonly list: MailList,
  ) {}

  @Get()
  @ConsolePage('app_admin')
  async show(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Query() query: Readonly<Record<string, unknown>>,
    @Res() response: Response,
  ): Promise<void> {
    const app = await this.pages.governed(consoleRequest, id);
    const place = { path: appPath(app, 'mails'), appId: app.id };
    const list = await this.list.model(consoleRequest.ctx, query, place);
    await this.pages.show(consoleRequest, response, app, { tab: 'mails', model: { list } });
  }
}
