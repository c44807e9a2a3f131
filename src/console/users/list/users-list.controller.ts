import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { UserListService } from '../../../admin/users/directory/user-list.service.js';
import { hasMinimumRole } from '../../../auth/access/access.rules.js';
import { readCursor } from '../../../common/lists/page-cursor.js';
import { readSorting } from '../../../common/lists/sorting.js';
import { USER_SORT_COLUMNS } from '../../../enrollment/users/user-list.query.js';
import { ConsolePage } from '../../frame/pages/console-page.js';
import { ConsolePages } from '../../frame/pages/console-pages.js';
import { type ConsoleRequest, CurrentConsoleRequest } from '../../frame/requests/console-request.js';
import { readChosenPage } from '../../frame/lists/pager.js';
import { OwnApps } from '../../frame/requests/own-apps.js';
import { UserFactsReader } from './user-facts.js';
import { filterOf } from './users-filter.rules.js';
import { UsersListPages } from './users-list-pages.js';

/** The list of users, limited as in the admin API, with its filters in the URL. */
@Controller('console/users')
export class UsersListController {
  constructor(
    private readonly users: UserListService,
    private readonly apps: OwnApps,
    private readonly facts: UserFactsReader,
    private readonly views: UsersListPages,
    private readonly pages: ConsolePages,
  ) {}

  @Get()
  @ConsolePage('app_admin')
  async list(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Query() query: Record<string, unknown>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const filter = filterOf(query);
    const sorting = readSorting(query['sort'], USER_SORT_COLUMNS);
    const page = readChosenPage(query);
    const cursor = typeof query['cursor'] === 'string' ? readCursor(query['cursor']) : null;
    // A filter by an app of another tenant takes precedence over the chosen tenant.
    const ctx = filter.appId ? consoleRequest.ctx : consoleRequest.listCtx;
    const [found, selection] = await Promise.all([
      this.users.list(ctx, { ...filter, sorting, cursor, ...page }),
      this.apps.select(consoleRequest, query['app_q'], filter.appId),
    ]);
    const facts = await this.facts.read(ctx, found.users);
    await this.pages.show(consoleRequest, response, {
      view: 'users/list',
      title: 'Users',
      area: 'users',
      tenantId: selection.apps.find(({ id }) => id === filter.appId)?.tenantId,
      search: filter.search ?? '',
      model: {
        ...this.views.model({ filter, sorting, page, found, facts, selection, request }),
        mayCreate: hasMinimumRole(consoleRequest.actor.authority, 'tenant_admin'),
      },
    });
  }
}
