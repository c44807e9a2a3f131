import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { ExportService } from '../../transfer/export/export.service.js';
import { sendFile } from '../../common/http/streamed-file.js';
import { ConsolePage } from '../frame/console-page.js';
import { type ConsoleRequest, CurrentConsoleRequest } from '../frame/console-request.js';

/** Apps and tenants as downloads. Hashes of passwords only come by the API. */
@Controller('console/export')
export class ConsoleExportsController {
  constructor(private readonly exports: ExportService) {}

  @Get('app/:app_id')
  @ConsolePage('app_admin')
  async app(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Query('include_users') users: unknown,
    @Res() response: Response,
  ): Promise<void> {
    await sendFile(response, await this.exports.app(consoleRequest.ctx, id, optionsOf(users)));
  }

  @Get('tenant/:tenant_id')
  @ConsolePage('tenant_admin')
  async tenant(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('tenant_id') id: string,
    @Query('include_users') users: unknown,
    @Res() response: Response,
  ): Promise<void> {
    await sendFile(response, await this.exports.tenant(consoleRequest.ctx, id, optionsOf(users)));
  }
}

function optionsOf(users: unknown) {
  return { includeUsers: users === 'true', includeCredentials: false };
}
