import { Controller, Get, Inject, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { ConsolePage } from '../frame/pages/console-page.js';
import { ConsolePages } from '../frame/pages/console-pages.js';
import { type ConsoleRequest, CurrentConsoleRequest } from '../frame/requests/console-request.js';
import { appChoices, OwnApps } from '../frame/requests/own-apps.js';
import { MailList } from './mail-list.js';

/** The mail log of the chosen tenant, or of everything that the operator administers. */
@Controller('console/mails')
export class MailsController {
  constructor(
    private readonly list: MailList,
    private readonly apps: OwnApps,
    private readonly pages: ConsolePages,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Get()
  @ConsolePage('app_admin')
  async show(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Query() query: Readonly<Record<string, unknown>>,
    @Res() response: Response,
  ): Promise<void> {
    const list = await this.list.model(consoleRequest.listCtx, query, { path: '/console/mails' });
    const selection = await this.apps.select(consoleRequest, query['app_q'], list.values.app_id || null);
    await this.pages.show(consoleRequest, response, {
      view: 'mails/list',
      title: 'E-mails',
      area: 'mails',
      status: list.errors.length > 0 ? 422 : 200,
      model: {
        days: this.settings.mailLogDays,
        list: { ...list, isWhole: true, apps: appChoices(selection.apps, list.values.app_id, 'All apps') },
        appSearch: selection.search,
        isSearchable: selection.isSearchable,
        errors: list.errors,
      },
    });
  }
}
