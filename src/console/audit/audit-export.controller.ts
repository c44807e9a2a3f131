import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { AuditExportService } from '../../admin/audit-log/audit-export.service.js';
import { redirectTo } from '../../common/http/redirect-to.js';
import { closingOf } from '../../common/http/streams/closing-of.js';
import { sendFile } from '../../common/http/streams/streamed-file.js';
import { ConsolePage } from '../frame/pages/console-page.js';
import { type ConsoleRequest, CurrentConsoleRequest } from '../frame/requests/console-request.js';
import { OwnNavigation } from '../frame/requests/own-navigation.js';
import { exportQuery } from './audit-filter.js';
import { AuditSearches } from './audit-search.js';

/** The audit log as a file. */
@Controller('console')
export class AuditExportController {
  constructor(
    private readonly searches: AuditSearches,
    private readonly exports: AuditExportService,
    private readonly navigation: OwnNavigation,
  ) {}

  /**
   * Exports what the page would show with these filters. An invalid filter redirects to the page, and so does a link
   * from another site, which would use up the operator's limit of exports.
   */
  @Get('audit/export')
  @ConsolePage('app_admin')
  async export(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Query() query: Record<string, unknown>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { ctx, selection } = await this.searches.read(consoleRequest, query);
    if (!selection || !this.navigation.isFollowed(request))
      return redirectTo(response, `/console/audit?${request.originalUrl.split('?', 2)[1] ?? ''}`);
    const file = await this.exports.begin(ctx, exportQuery(query, selection), closingOf(response));
    await sendFile(response, file);
  }
}
