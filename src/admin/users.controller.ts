import { Body, Controller, Get, HttpCode, Param, Post, Put, Query, Req, Res } from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiBearerAuth,
  ApiBody,
  ApiConflictResponse,
  ApiCreatedResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiProperty,
  ApiTags,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Requires } from '../common/http/access-marks.js';
import { Ctx } from '../common/http/context.decorator.js';
import { setPageHeaders } from '../common/http/page-headers.js';
import { cursorOf } from '../common/http/query-cursor.js';
import type { RequestContext } from '../common/request-context.js';
import { PeopleService } from '../enrollment/people.service.js';
import { UserView, userView } from '../users/user.view.js';
import { chosenApp } from './chosen-app.js';
import { UserDetailView, userDetailView } from './user-detail.view.js';
import {
  AppReference,
  RolesChange,
  RolesChangeOfUser,
  UserCreate,
  UserListQuery,
  UserSearchQuery,
} from './user.dto.js';
import { UsersAdminService } from './users-admin.service.js';

class UserMatchView {
  @ApiProperty({ format: 'uuid' }) id: string;
  @ApiProperty() email: string;
  @ApiProperty() display_name: string;
}

class RolesView {
  @ApiProperty({ format: 'uuid' }) user_id: string;
  @ApiProperty({ format: 'uuid' }) app_id: string;
  @ApiProperty({ type: [String], description: 'Always holds `user`' }) roles: string[];
}

class EnrollmentStatusView {
  @ApiProperty({ enum: ['ok'] }) status: 'ok';
  @ApiProperty({ format: 'uuid' }) user_id: string;
  @ApiProperty({ format: 'uuid' }) app_id: string;
  @ApiProperty({ enum: ['pending', 'active', 'suspended'] }) enrollment_status: string;
}

@ApiTags('Admin: users')
@ApiBearerAuth()
@Controller('admin/users')
export class UsersController {
  constructor(
    private readonly users: UsersAdminService,
    private readonly people: PeopleService,
  ) {}

  @Get()
  @Requires({ standing: 'app_admin', scope: 'users:read' })
  @ApiOperation({
    summary: 'List users',
    description: 'Newest first, cut to the caller. `Link` names the next page; `X-Total-Count` is given up to 1,000.',
  })
  @ApiOkResponse({ type: [UserView] })
  async list(
    @Ctx() ctx: RequestContext,
    @Query() query: UserListQuery,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<UserView[]> {
    const page = { limit: query.limit ?? 50, page: query.page ?? 1 };
    const { users, total, next } = await this.users.list(ctx, {
      appId: query.app_id?.toLowerCase(),
      search: query.search,
      cursor: cursorOf(query.cursor),
      ...page,
    });
    setPageHeaders(request, response, { ...page, total, more: next !== null, cursor: next });
    return users.map(userView);
  }

  @Post()
  @Requires({ standing: 'tenant_admin', scope: 'users:create' })
  @ApiOperation({ summary: 'Create a user' })
  @ApiCreatedResponse({ type: UserView })
  @ApiBadRequestResponse({ description: '`Password must be at least N characters`' })
  @ApiConflictResponse({ description: '`User already exists`' })
  async create(@Ctx() ctx: RequestContext, @Body() input: UserCreate): Promise<UserView> {
    return userView(await this.users.create(ctx, input));
  }

  @Get('search')
  @Requires({ standing: 'app_admin' })
  @ApiOperation({ summary: 'Search by the beginning of the e-mail address', description: 'Up to ten matches.' })
  @ApiOkResponse({ type: [UserMatchView] })
  async search(@Ctx() ctx: RequestContext, @Query() query: UserSearchQuery): Promise<UserMatchView[]> {
    const users = await this.people.searchByPrefix(ctx, query.q ?? '');
    return users.map(({ id, email, displayName }) => ({ id, email, display_name: displayName }));
  }

  @Get(':user_id/detail')
  @Requires({ standing: 'app_admin' })
  @ApiOperation({
    summary: 'A user in detail',
    description: 'Enrollments outside the caller’s authority are left out.',
  })
  @ApiOkResponse({ type: UserDetailView })
  @ApiNotFoundResponse({ description: '`User not found`' })
  async detail(@Ctx() ctx: RequestContext, @Param('user_id') userId: string): Promise<UserDetailView> {
    return userDetailView(await this.users.detail(ctx, userId));
  }

  @Put(':user_id/roles')
  @Requires({ standing: 'app_admin' })
  @ApiOperation({
    summary: 'Set roles',
    description: 'Replaces the roles in one app; enrols whoever is not enrolled yet.',
  })
  @ApiOkResponse({ type: RolesView })
  async setRoles(
    @Ctx() ctx: RequestContext,
    @Param('user_id') userId: string,
    @Body() input: RolesChange,
  ): Promise<RolesView> {
    const appId = input.app_id.toLowerCase();
    return { user_id: userId, app_id: appId, roles: await this.users.setRoles(ctx, userId, appId, input.roles) };
  }

  @Post('roles')
  @HttpCode(200)
  @Requires({ standing: 'app_admin' })
  @ApiOperation({ summary: 'Set roles (second spelling)' })
  @ApiOkResponse({ type: RolesView })
  setRolesOf(@Ctx() ctx: RequestContext, @Body() input: RolesChangeOfUser): Promise<RolesView> {
    return this.setRoles(ctx, input.user_id.toLowerCase(), input);
  }

  @Post(':user_id/suspend')
  @HttpCode(200)
  @Requires({ standing: 'app_admin' })
  @ApiOperation({
    summary: 'Suspend in one app',
    description: 'app_id in the body or the query. Revokes the refresh tokens.',
  })
  @ApiBody({ type: AppReference, required: false })
  @ApiOkResponse({ type: EnrollmentStatusView })
  @ApiBadRequestResponse({ description: '`Conflicting app_id`, `You cannot remove yourself`' })
  @ApiConflictResponse({ description: '`Enrollment is not active`' })
  async suspend(
    @Ctx() ctx: RequestContext,
    @Param('user_id') userId: string,
    @Query() query: AppReference,
    @Body() body?: AppReference,
  ): Promise<EnrollmentStatusView> {
    const appId = chosenApp(body?.app_id, query.app_id);
    await this.users.suspend(ctx, userId, appId);
    return { status: 'ok', user_id: userId, app_id: appId, enrollment_status: 'suspended' };
  }

  @Put(':user_id/apps/:app_id/reactivate')
  @Requires({ standing: 'app_admin' })
  @ApiOperation({
    summary: 'Reactivate a suspended enrollment',
    description: 'Tokens from before the suspension stay dead.',
  })
  @ApiOkResponse({ type: EnrollmentStatusView })
  @ApiNotFoundResponse({ description: '`Enrollment not found`' })
  @ApiConflictResponse({ description: '`Enrollment is not suspended`' })
  async reactivate(
    @Ctx() ctx: RequestContext,
    @Param('user_id') userId: string,
    @Param('app_id') appId: string,
  ): Promise<EnrollmentStatusView> {
    await this.users.reactivate(ctx, userId, appId);
    return { status: 'ok', user_id: userId, app_id: appId, enrollment_status: 'active' };
  }
}
