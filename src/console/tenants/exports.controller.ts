import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ExportService } from '../../transfer/export/export.service.js';
import { redirectTo } from '../../common/http/redirect-to.js';
import { closingOf } from '../../common/http/streams/closing-of.js';
import { sendFile } from '../../common/http/streams/streamed-file.js';
import { ConsolePage } from '../frame/pages/console-page.js';
import { type ConsoleRequest, CurrentConsoleRequest } from '../frame/requests/console-request.js';
import { OwnNavigation } from '../frame/requests/own-navigation.js';

/**
 * Apps and tenants as downloads, without password hashes, which only the API exports. A link from another site, which
 * would record an export in the name of the operator who follows it, redirects to the page with the button.
 */
@Controller('console/export')
export class ConsoleExportsController {
  constructor(
    private readonly exports: ExportService,
    private readonly navigation: OwnNavigation,
  ) {}

  @Get('app/:app_id')
  @ConsolePage('app_admin')
  async app(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Query('include_users') users: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    if (!this.navigation.isFollowed(request)) return redirectTo(response, `/console/apps/${encodeURIComponent(id)}`);
    await sendFile(response, await this.exports.app(consoleRequest.ctx, id, optionsOf(users, response)));
  }

  @Get('tenant/:tenant_id')
  @ConsolePage('tenant_admin')
  async tenant(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('tenant_id') id: string,
    @Query('include_users') users: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    if (!this.navigation.isFollowed(request))
      return redirectTo(response, `/console/tenants/${encodeURIComponent(id)}/data`);
    await sendFile(response, await this.exports.tenant(consoleRequest.ctx, id, optionsOf(users, response)));
  }
}

function optionsOf(users: unknown, response: Response) {
  return { includeUsers: users === 'true', includeCredentials: false, closing: closingOf(response) };
}
