import { Body, Controller, HttpStatus, Post, Query, Res, UseInterceptors } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiBody,
  ApiConflictResponse,
  ApiCreatedResponse,
  ApiForbiddenResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiPayloadTooLargeResponse,
  ApiServiceUnavailableResponse,
  ApiTags,
} from '@nestjs/swagger';
import type { Response } from 'express';
import { Requires } from '../../common/http/access-marks.js';
import { Ctx } from '../../common/http/context.decorator.js';
import { LargeBodyInterceptor } from '../../common/http/bodies/large-body.interceptor.js';
import type { RequestContext } from '../../common/request-context.js';
import { AppImport, ImportQuery, TenantImport } from './document/import.dto.js';
import { AppImportService } from './app-import.service.js';
import { ImportPlansService } from './plan/import-plans.service.js';
import { TenantImportService } from './tenant-import.service.js';
import { ImportedAppView, ImportedTenantView } from './writing/import.view.js';
import { ImportPlanView } from './plan/plan.view.js';

/** The bodies are plain objects here: they can have 32 MB and are validated in slices (`DocumentReader`). */
@ApiBearerAuth()
@ApiForbiddenResponse({
  description: 'Value of `detail`: `Insufficient permissions`, `{error: reauthentication_required}`',
})
@ApiPayloadTooLargeResponse({ description: '`Payload Too Large`: above 32 MB' })
@ApiServiceUnavailableResponse({ description: '`Too many large requests at once`, with Retry-After' })
@UseInterceptors(LargeBodyInterceptor)
@Controller('admin')
export class ImportController {
  constructor(
    private readonly plans: ImportPlansService,
    private readonly apps: AppImportService,
    private readonly tenants: TenantImportService,
  ) {}

  @Post('apps/import')
  @Requires({ minimumRole: 'tenant_admin', recentSignIn: 'always' })
  @ApiTags('Admin: apps')
  @ApiOperation({
    summary: 'Import an app',
    description:
      'Imports everything or nothing. The new app gets a new client secret, which only this response contains, and a new ' +
      'bundle_id unless you send preserve_bundle_id. Existing accounts are enrolled and otherwise unchanged. With dry_run, ' +
      'returns 200 and the plan. Requires a sign-in from the last 15 minutes: a document can bring roles, password hashes, ' +
      'passkeys and linked identities.',
  })
  @ApiBody({ type: AppImport })
  @ApiCreatedResponse({ type: ImportedAppView })
  @ApiOkResponse({ type: ImportPlanView, description: 'With dry_run: what the import would do' })
  @ApiNotFoundResponse({ description: '`Tenant not found`' })
  @ApiConflictResponse({
    description: '`Bundle ID already exists`; `The tenant has too many apps. Archive one first` (at 1,000 apps)',
  })
  async app(
    @Ctx() ctx: RequestContext,
    @Query() query: ImportQuery,
    @Body() body: object,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ImportedAppView | ImportPlanView> {
    if (!query.dry_run) return this.apps.importApp(ctx, body);
    response.status(HttpStatus.OK);
    return this.plans.planApp(ctx, body);
  }

  @Post('tenants/import')
  @Requires({ minimumRole: 'platform_admin', recentSignIn: 'always' })
  @ApiTags('Admin: tenants')
  @ApiOperation({
    summary: 'Import a tenant with its apps',
    description:
      'Imports everything or nothing. Keeps the slug and the bundle ids unless they are taken. Console enrollments cannot be ' +
      'imported: add administrators afterwards. Requires a sign-in from the last 15 minutes, like the import of an app.',
  })
  @ApiBody({ type: TenantImport })
  @ApiCreatedResponse({ type: ImportedTenantView })
  @ApiOkResponse({ type: ImportPlanView, description: 'With dry_run: what the import would do' })
  async tenant(
    @Ctx() ctx: RequestContext,
    @Query() query: ImportQuery,
    @Body() body: object,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ImportedTenantView | ImportPlanView> {
    if (!query.dry_run) return this.tenants.importTenant(ctx, body);
    response.status(HttpStatus.OK);
    return this.plans.planTenant(ctx, body);
  }
}
