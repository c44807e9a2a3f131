import { Body, Controller, Delete, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import {
  ApiBadRequestResponse,
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
import { StatusView } from '../../common/http/status.view.js';
import type { RequestContext } from '../../common/request-context.js';
import { TenantAdminAssign } from './tenant-admin.dto.js';
import { NamedAdminView, namedAdminView, TenantAdminView, tenantAdminView } from './tenant-admin.view.js';
import { TenantAdminsReader } from './tenant-admins-reader.service.js';
import { TenantAdminsService } from './tenant-admins.service.js';

@ApiTags('Admin: tenants')
@ApiBearerAuth()
@Controller('admin/tenants/:tenant_id/admins')
export class TenantAdminsController {
  constructor(
    private readonly admins: TenantAdminsService,
    private readonly reader: TenantAdminsReader,
  ) {}

  @Get()
  @Requires({ minimumRole: 'tenant_admin' })
  @ApiOperation({
    summary: 'List a tenant’s admins',
    description:
      'Lists the users who are enrolled in its Console app, newest first. Returns all of them, up to 1,000, unless you send `limit` or `page`. Returns X-Total-Count and Link headers.',
  })
  @ApiOkResponse({ type: [TenantAdminView] })
  @ApiNotFoundResponse({ description: '`Tenant not found`' })
  async list(
    @Ctx() ctx: RequestContext,
    @Param('tenant_id') tenantId: string,
    @Query() query: WholeListQuery,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<TenantAdminView[]> {
    const page = wholeListOrPage(query);
    const { members, total } = await this.reader.list(ctx, tenantId, page);
    setPageHeaders(request, response, { ...page, total });
    return members.map(tenantAdminView);
  }

  @Post()
  @Requires({ minimumRole: 'tenant_admin', recentSignIn: 'always' })
  @ApiOperation({
    summary: 'Add a tenant admin',
    description:
      'Send `user_id` or `email`. A verified user whom you can see is enrolled in the Console app immediately; any other address gets an invite by e-mail. The other admins of the tenant are notified.',
  })
  @ApiCreatedResponse({ type: NamedAdminView })
  @ApiNotFoundResponse({ description: '`Tenant not found`, `User not found`' })
  @ApiConflictResponse({ description: '`Enrollment is not active`: the user is suspended in the Console app' })
  async add(
    @Ctx() ctx: RequestContext,
    @Param('tenant_id') tenantId: string,
    @Body() input: TenantAdminAssign,
  ): Promise<NamedAdminView> {
    return namedAdminView(await this.admins.add(ctx, tenantId, input));
  }

  @Delete(':user_id')
  @Requires({ minimumRole: 'tenant_admin', recentSignIn: 'always' })
  @ApiOperation({
    summary: 'Remove a tenant admin',
    description: 'The user keeps the account and the enrollments in other apps.',
  })
  @ApiOkResponse({ type: StatusView })
  @ApiBadRequestResponse({ description: '`You cannot remove yourself`' })
  @ApiNotFoundResponse({ description: '`Tenant not found`, `Enrollment not found`' })
  async remove(
    @Ctx() ctx: RequestContext,
    @Param('tenant_id') tenantId: string,
    @Param('user_id') userId: string,
  ): Promise<StatusView> {
    await this.admins.remove(ctx, tenantId, userId);
    return { status: 'ok' };
  }
}
