import { Controller, Get, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { closingOf } from '../../common/http/streams/closing-of.js';
import { ConsolePage } from '../frame/pages/console-page.js';
import { ConsolePages } from '../frame/pages/console-pages.js';
import {
  type ConsoleRequest,
  type Fields,
  FormFields,
  CurrentConsoleRequest,
} from '../frame/requests/console-request.js';
import { AuditCheck } from './audit-check.js';
import { AuditPages } from './audit-pages.js';
import { AuditSearches } from './audit-search.js';

/** The audit log: one view under two paths (docs/conventions.md, section 7). */
@Controller('console')
export class AuditPagesController {
  constructor(
    private readonly log: AuditPages,
    private readonly searches: AuditSearches,
    private readonly check: AuditCheck,
    private readonly pages: ConsolePages,
  ) {}

  @Get(['audit', 'audit-log'])
  @ConsolePage('app_admin')
  async show(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Query() query: Record<string, unknown>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const search = await this.searches.read(consoleRequest, query);
    const checkable = await this.check.offer(consoleRequest, search.filter.selection.tenant_id);
    await this.log.show(consoleRequest, search, checkable, request, response);
  }

  /** Verifies a tenant's whole log, and reports whether it was changed. */
  @Post('audit/check')
  @ConsolePage('tenant_admin')
  async verify(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @FormFields() fields: Fields,
    @Res() response: Response,
  ): Promise<void> {
    const { tenantId, isWhole, words } = await this.check.run(consoleRequest, fields['tenant_id'], closingOf(response));
    const back = `/console/audit?tenant_id=${tenantId}`;
    await this.pages.redirectWithFlash(consoleRequest, response, back, words, isWhole ? 'done' : 'warning');
  }
}
