import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { auditEntryView } from '../../audit/audit-entry.view.js';
import { Requires } from '../../common/http/access-marks.js';
import { Ctx } from '../../common/http/context.decorator.js';
import { setPageHeaders } from '../../common/http/pagination/page-headers.js';
import { pageOf } from '../../common/http/pagination/page-size.js';
import type { RequestContext } from '../../common/request-context.js';
import { closingOf } from '../../common/http/streams/closing-of.js';
import { sendFile } from '../../common/http/streams/streamed-file.js';
import { AuditExportQuery, AuditQuery } from './audit.dto.js';
import { AuditExportService } from './audit-export.service.js';
import { AuditReader } from './audit-reader.service.js';
import { changeComparisonView, ListedAuditEntryView } from './change-comparison.view.js';

@ApiTags('Admin: invites and audit')
@ApiBearerAuth()
@Controller('admin/audit')
export class AuditController {
  constructor(
    private readonly reader: AuditReader,
    private readonly exports: AuditExportService,
  ) {}

  @Get()
  @Requires({ minimumRole: 'app_admin' })
  @ApiOperation({
    summary: 'List audit entries',
    description:
      'Newest first. You see only entries of what you administer. `Link` names the next page. A page of large entries (4 MB) ends before `limit`. `seq` and the hashes are null until the entry is sealed, within seconds.',
  })
  @ApiOkResponse({ type: [ListedAuditEntryView] })
  async list(
    @Ctx() ctx: RequestContext,
    @Query() query: AuditQuery,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ListedAuditEntryView[]> {
    const page = pageOf(query);
    const { entries, next } = await this.reader.list(ctx, query, page);
    setPageHeaders(request, response, { ...page, total: null, more: next !== null, cursor: next });
    const comparisons = await this.reader.comparisonsOf(entries);
    return entries.map((entry) => {
      const comparison = comparisons.get(entry.id);
      return { ...auditEntryView(entry), ...(comparison && { comparison: changeComparisonView(comparison) }) };
    });
  }

  @Get('export')
  @Requires({ minimumRole: 'app_admin' })
  @ApiOperation({
    summary: 'Export the audit log',
    description:
      'Exports all entries that the list shows with these filters, newest first, as of the start of the export. `ndjson`: one entry per line. `csv`: a cell that a spreadsheet could read as a formula begins with an apostrophe. The response is streamed: if it is cut off, the file is incomplete. Recorded as `audit.exported`.',
  })
  @ApiProduces('application/x-ndjson', 'text/csv')
  @ApiOkResponse({ description: 'The file', schema: { type: 'string' } })
  async export(@Ctx() ctx: RequestContext, @Query() query: AuditExportQuery, @Res() response: Response): Promise<void> {
    await sendFile(response, await this.exports.begin(ctx, query, closingOf(response)));
  }
}
