import { Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { AppDirectory } from '../../apps/directory/app-directory.js';
import { AppsService } from '../../apps/directory/apps.service.js';
import type { ScheduledChange } from '../../operators/scheduled-changes/planning/scheduled-change.entity.js';
import { ScheduledChanges } from '../../operators/scheduled-changes/planning/scheduled-changes.service.js';
import { PLAIN_CONFIRMATION } from '../frame/pages/confirmation.js';
import { ConsolePage } from '../frame/pages/console-page.js';
import { ConsolePages } from '../frame/pages/console-pages.js';
import { type ConsoleRequest, CurrentConsoleRequest } from '../frame/requests/console-request.js';
import { pagerOf, readChosenPage } from '../frame/lists/pager.js';
import { column } from '../frame/lists/table-column.js';
import { TASKS } from '../frame/requests/task-starter.js';
import { problemOf, settingsInWords, stateInWords } from './scheduled-words.js';

const COLUMNS = [column('Change'), column('From (UTC)'), column('State'), column('Actions')];
const LIST = { label: 'Scheduled changes', href: '/console/scheduled-changes' };

/** Scheduled changes, and their results. */
@Controller('console/scheduled-changes')
export class ScheduledChangesPageController {
  constructor(
    private readonly changes: ScheduledChanges,
    private readonly apps: AppsService,
    private readonly directory: AppDirectory,
    private readonly pages: ConsolePages,
  ) {}

  @Get()
  @ConsolePage('app_admin')
  async list(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const page = readChosenPage(request.query);
    const [changes, total] = await this.changes.list(consoleRequest.listCtx, {}, page.page, page.limit);
    await this.pages.show(consoleRequest, response, {
      view: 'scheduled-changes/list',
      title: LIST.label,
      area: 'tasks',
      crumbs: [TASKS],
      model: {
        columns: COLUMNS,
        changes: await Promise.all(changes.map((change) => this.row(change))),
        pager: pagerOf(request, { ...page, total, count: changes.length }),
      },
    });
  }

  @Get(':change_id/cancel')
  @ConsolePage('app_admin')
  async ask(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('change_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    const change = await this.changes.get(consoleRequest.ctx, id);
    const { place, settings, when } = await this.row(change);
    await this.pages.confirm(consoleRequest, response, {
      ...PLAIN_CONFIRMATION,
      title: 'Cancel the scheduled change?',
      lead: 'The settings stay as they are. Users who had an e-mail about the change get another one that it does not happen.',
      area: 'tasks',
      tenantId: change.tenantId,
      crumbs: [TASKS, LIST],
      impact: [
        { label: 'Of', value: place },
        { label: 'Change', value: settings },
        { label: 'From (UTC)', value: when },
      ],
      action: `${LIST.href}/${id}/cancel`,
      button: 'Cancel scheduled change',
      cancelUrl: LIST.href,
      cancelLabel: 'Go back',
    });
  }

  @Post(':change_id/cancel')
  @ConsolePage('app_admin')
  async cancel(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('change_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.changes.cancel(consoleRequest.ctx, id);
    await this.pages.redirectWithFlash(consoleRequest, response, LIST.href, 'The change was cancelled.');
  }

  private async row(change: ScheduledChange) {
    const { id, appId, tenantId, effectiveAt, state } = change;
    const client = await this.directory.findOfAnyOrigin(appId ?? (await this.apps.getConsole(tenantId)).id);
    return {
      id,
      place: (appId ? client?.app.name : client?.tenant.name) ?? '',
      settings: settingsInWords(change),
      when: effectiveAt.toUTCString(),
      state: stateInWords(state),
      problem: problemOf(change),
      cancelUrl: state === 'planned' ? `${LIST.href}/${id}/cancel` : null,
    };
  }
}
