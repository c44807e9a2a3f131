import { Body, Controller, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiNotFoundResponse, ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { AppUpdate } from '../apps/app.dto.js';
import { Requires } from '../common/http/access-marks.js';
import { Ctx } from '../common/http/context.decorator.js';
import { sendFile } from '../common/http/streamed-file.js';
import type { RequestContext } from '../common/request-context.js';
import { Choice } from '../common/validation/fields.js';
import { TenantUpdate } from '../admin/tenant.dto.js';
import { type ChangePreview, ChangePreviews } from './change-previews.service.js';
import { changePreviewView, ChangePreviewView } from './change-preview.view.js';

const DESCRIPTION =
  'Send the body of the update. The next sign-in of each member is judged by the rules of sign-in, with the settings as they are and ' +
  'as they would be. Nothing is written. `format=csv` names all affected users.';

class PreviewQuery {
  @Choice(['true'], { description: 'Must be `true`. To save the change, send it to the update' })
  preview: string;

  @Choice(['json', 'csv'], { optional: true, description: 'Default json' })
  format?: string;
}

/** What an update would do, before it is saved. */
@ApiBearerAuth()
@Controller('admin')
export class PreviewsController {
  constructor(private readonly previews: ChangePreviews) {}

  @Post('apps/:app_id')
  @HttpCode(200)
  @Requires({ minimumRole: 'app_admin' })
  @ApiTags('Admin: apps')
  @ApiOperation({ summary: 'Preview an update of an app', description: DESCRIPTION })
  @ApiProduces('application/json', 'text/csv')
  @ApiOkResponse({ type: ChangePreviewView })
  @ApiNotFoundResponse({ description: '`App not found`' })
  async app(
    @Ctx() ctx: RequestContext,
    @Param('app_id') id: string,
    @Query() { format }: PreviewQuery,
    @Body() input: AppUpdate,
    @Res() response: Response,
  ): Promise<void> {
    if (format === 'csv') return sendFile(response, await this.previews.fileOfApp(ctx, id, input));
    return this.answer(response, await this.previews.ofApp(ctx, id, input));
  }

  @Post('tenants/:tenant_id')
  @HttpCode(200)
  @Requires({ minimumRole: 'tenant_admin' })
  @ApiTags('Admin: tenants')
  @ApiOperation({ summary: 'Preview an update of a tenant', description: DESCRIPTION })
  @ApiProduces('application/json', 'text/csv')
  @ApiOkResponse({ type: ChangePreviewView })
  @ApiNotFoundResponse({ description: '`Tenant not found`' })
  async tenant(
    @Ctx() ctx: RequestContext,
    @Param('tenant_id') id: string,
    @Query() { format }: PreviewQuery,
    @Body() input: TenantUpdate,
    @Res() response: Response,
  ): Promise<void> {
    if (format === 'csv') return sendFile(response, await this.previews.fileOfTenant(ctx, id, input));
    return this.answer(response, await this.previews.ofTenant(ctx, id, input));
  }

  private answer(response: Response, preview: ChangePreview): void {
    response.json(changePreviewView(preview));
  }
}
