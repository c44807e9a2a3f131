import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiNotFoundResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Requires } from '../../common/http/access-marks.js';
import { Ctx } from '../../common/http/context.decorator.js';
import type { RequestContext } from '../../common/request-context.js';
import { AppDocumentView, TenantDocumentView } from './export.view.js';
import { ExportQuery } from './export.dto.js';
import { ExportService } from './export.service.js';
import { closingOf } from '../../common/http/streams/closing-of.js';
import { sendFile } from '../../common/http/streams/streamed-file.js';

@ApiBearerAuth()
@Controller('admin')
export class ExportController {
  constructor(private readonly exports: ExportService) {}

  @Get('apps/:app_id/export')
  @Requires({ minimumRole: 'app_admin', recentSignIn: 'for_authority' })
  @ApiTags('Admin: apps')
  @ApiOperation({
    summary: 'Export an app',
    description:
      'The document has no ids and no secrets, and `users` only with include_users. The response is streamed: if it is cut off, it is not a valid document. A caller runs one export at a time (429).',
  })
  @ApiOkResponse({ type: AppDocumentView })
  @ApiNotFoundResponse({ description: '`App not found`' })
  async app(
    @Ctx() ctx: RequestContext,
    @Param('app_id') id: string,
    @Query() query: ExportQuery,
    @Res() response: Response,
  ): Promise<void> {
    await sendFile(response, await this.exports.app(ctx, id, optionsOf(query, response)));
  }

  @Get('tenants/:tenant_id/export')
  @Requires({ minimumRole: 'tenant_admin', recentSignIn: 'for_authority' })
  @ApiTags('Admin: tenants')
  @ApiOperation({
    summary: 'Export a tenant with its apps',
    description: 'Leaves out the Console app and its administrators. Otherwise like the export of an app.',
  })
  @ApiOkResponse({ type: TenantDocumentView })
  @ApiNotFoundResponse({ description: '`Tenant not found`' })
  async tenant(
    @Ctx() ctx: RequestContext,
    @Param('tenant_id') id: string,
    @Query() query: ExportQuery,
    @Res() response: Response,
  ): Promise<void> {
    await sendFile(response, await this.exports.tenant(ctx, id, optionsOf(query, response)));
  }
}

function optionsOf(query: ExportQuery, response: Response) {
  return {
    includeUsers: query.include_users ?? false,
    includeCredentials: query.include_credentials ?? false,
    closing: closingOf(response),
  };
}
