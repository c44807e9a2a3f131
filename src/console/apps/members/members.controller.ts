import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ConsolePage } from '../../frame/pages/console-page.js';
import { type ConsoleRequest, CurrentConsoleRequest } from '../../frame/requests/console-request.js';
import { MembersTab } from './members-tab.js';

/** The members of an app. */
@Controller('console/apps/:app_id/members')
export class MembersController {
  constructor(private readonly tab: MembersTab) {}

  @Get()
  @ConsolePage('app_admin')
  async list(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Query() query: Readonly<Record<string, unknown>>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.tab.show(consoleRequest, id, query, request, response);
  }
}
