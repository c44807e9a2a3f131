import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { UserListExport } from '../../../admin/users/directory/user-list-export.service.js';
import { redirectTo } from '../../../common/http/redirect-to.js';
import { closingOf } from '../../../common/http/streams/closing-of.js';
import { sendFile } from '../../../common/http/streams/streamed-file.js';
import { ConsolePage } from '../../frame/pages/console-page.js';
import { type ConsoleRequest, CurrentConsoleRequest } from '../../frame/requests/console-request.js';
import { OwnNavigation } from '../../frame/requests/own-navigation.js';
import { filterOf, usersUrl } from './users-filter.rules.js';

/** The list of users as a file. */
@Controller('console/users')
export class UsersExportController {
  constructor(
    private readonly exports: UserListExport,
    private readonly navigation: OwnNavigation,
  ) {}

  /**
   * Exports what the list would show with these filters. A link from another site, which would use up the operator's
   * limit of exports, redirects to the list.
   */
  @Get('export')
  @ConsolePage('app_admin')
  async export(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Query() query: Record<string, unknown>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const filter = filterOf(query);
    if (!this.navigation.isFollowed(request)) return redirectTo(response, usersUrl(filter));
    const ctx = filter.appId ? consoleRequest.ctx : consoleRequest.listCtx;
    await sendFile(response, await this.exports.begin(ctx, filter, closingOf(response)));
  }
}
