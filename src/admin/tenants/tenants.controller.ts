import { Body, Controller, Get, Param, Patch, Post, Query, Req, Res } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiConflictResponse,
  ApiCreatedResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Requires } from '../../common/http/access-marks.js';
import { Ctx } from '../../common/http/context.decorator.js';
import { setPageHeaders } from '../../common/http/pagination/page-headers.js';
import { WholeListQuery } from '../../common/http/pagination/page-query.dto.js';
import { wholeListOrPage } from '../../common/http/pagination/page-size.js';
import type { RequestContext } from '../../common/request-context.js';
import { TenantCreate, TenantUpdate } from './tenant.dto.js';
import { TenantView, tenantView } from './tenant.view.js';
import { TenantCreationService } from './tenant-creation.service.js';
import { TenantReader } from './tenant-reader.service.js';
import { TenantUpdateService } from './tenant-update.service.js';

@ApiTags('Admin: tenants')
@ApiBearerAuth()
@Controller('admin/tenants')
export class TenantsController {
  constructor(
    private readonly tenants: TenantReader,
    private readonly creation: TenantCreationService,
    private readonly updates: TenantUpdateService,
  ) {}

  @Get()
  @Requires({ minimumRole: 'tenant_admin' })
  @ApiOperation({
    summary: 'List tenants',
    description:
      'Newest first. Tenant admins see their own tenants. Returns all tenants, up to 1,000, unless you send `limit` or `page`. Returns X-Total-Count and Link headers.',
  })
  @ApiOkResponse({ type: [TenantView] })
  async list(
    @Ctx() ctx: RequestContext,
    @Query() query: WholeListQuery,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<TenantView[]> {
    const page = wholeListOrPage(query);
    const { tenants, total } = await this.tenants.list(ctx, page);
    setPageHeaders(request, response, { ...page, total });
    return tenants.map(tenantView);
  }

  @Post()
  @Requires({ minimumRole: 'platform_admin', recentSignIn: 'for_authority' })
  @ApiOperation({
    summary: 'Create a tenant',
    description:
      'Also creates the Console app of the tenant. Users who are enrolled in the Console app are tenant admins. `admin_email` names the first one and requires a sign-in from the last 15 minutes.',
  })
  @ApiCreatedResponse({ type: TenantView })
  @ApiConflictResponse({ description: '`Slug already exists`, `Resource identifier already exists`' })
  async create(@Ctx() ctx: RequestContext, @Body() input: TenantCreate): Promise<TenantView> {
    return tenantView(await this.creation.create(ctx, input));
  }

  @Patch(':tenant_id')
  @Requires({ minimumRole: 'tenant_admin', recentSignIn: 'for_settings' })
  @ApiOperation({
    summary: 'Update a tenant',
    description:
      'Send any subset of the fields. Switching a tenant off switches off all its apps; switching it on again switches these apps on again. Changing `passkey_aaguids`, turning off `require_2fa`, and setting or shortening `passkey_recovery_days` require a sign-in from the last 15 minutes.',
  })
  @ApiOkResponse({ type: TenantView })
  @ApiNotFoundResponse({ description: '`Tenant not found`' })
  @ApiConflictResponse({ description: '`Slug already exists`, `Resource identifier already exists`' })
  async update(
    @Ctx() ctx: RequestContext,
    @Param('tenant_id') id: string,
    @Body() input: TenantUpdate,
  ): Promise<TenantView> {
    return tenantView(await this.updates.update(ctx, id, input));
  }
}
