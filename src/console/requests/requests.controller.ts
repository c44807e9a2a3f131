import { Controller, Get, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Clock } from '../../common/clock.js';
import { isUuid } from '../../common/validation/fields.js';
import { readRequestCursor } from '../../enrollment/requests/request-cursor.js';
import { RequestQueue } from '../../enrollment/requests/request-queue.service.js';
import { ConsolePage } from '../frame/pages/console-page.js';
import { ConsolePages } from '../frame/pages/console-pages.js';
import { type ConsoleRequest, CurrentConsoleRequest } from '../frame/requests/console-request.js';
import { searchText } from '../../common/lists/search-text.js';
import { appChoices, OwnApps } from '../frame/requests/own-apps.js';
import { readChosenPage, sizeLinks } from '../frame/lists/pager.js';
import { column } from '../frame/lists/table-column.js';
import { queueUrl } from './request-paths.js';
import { requestRow } from './request-rows.js';

const COLUMNS = [
  column('User'),
  column('App'),
  column('Message'),
  column('Requested', { className: 'col-when' }),
  column('Actions', { className: 'col-act' }),
];

/** Users who wait for approval at an app that the operator administers, longest wait first. */
@Controller('console/requests')
export class RequestsController {
  constructor(
    private readonly queue: RequestQueue,
    private readonly apps: OwnApps,
    private readonly pages: ConsolePages,
    private readonly clock: Clock,
  ) {}

  @Get()
  @ConsolePage('app_admin')
  async show(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Query() query: Readonly<Record<string, unknown>>,
    @Res() response: Response,
  ): Promise<void> {
    const appId = isUuid(query['app']) ? String(query['app']).toLowerCase() : undefined;
    const search = searchText(query['q']);
    const view = { app: appId, q: search };
    const after = readRequestCursor(query['after']);
    const selection = await this.apps.select(consoleRequest, query['app_q'], appId ?? null);
    const { limit } = readChosenPage(query);
    const { requests, next } = await this.queue.list(consoleRequest.listCtx, { appId, search, after, limit });
    const now = this.clock.now();
    await this.pages.show(consoleRequest, response, {
      view: 'requests/list',
      title: 'Requests',
      area: 'requests',
      model: {
        columns: COLUMNS,
        requests: requests.map((request) => requestRow(request, now)),
        app: appId ?? '',
        q: search,
        isFiltered: appId !== undefined || search !== '',
        apps: appChoices(selection.apps, appId, 'All apps'),
        appSearch: selection.search,
        isSearchable: selection.isSearchable,
        allAction: appId && requests.length > 0 ? `/console/apps/${appId}/members/bulk` : null,
        sizes: sizeLinks({ originalUrl: queueUrl(view) }, { limit, count: next || after ? Infinity : requests.length }),
        firstUrl: after ? queueUrl(view, { limit }) : null,
        nextUrl: next && queueUrl(view, { after: next, limit }),
      },
    });
  }
}
