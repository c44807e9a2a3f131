import { Body, Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiBearerAuth,
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
import type { RequestContext } from '../common/request-context.js';
import { PeopleService } from '../enrollment/people.service.js';
import { UserView, userView } from '../users/user.view.js';
import { UserDetailView, userDetailView } from './user-detail.view.js';
import { UserCreate, UserListQuery, UserSearchQuery } from './user.dto.js';
import { UsersAdminService } from './users-admin.service.js';

class UserMatchView {
  @ApiProperty({ format: 'uuid' }) id: string;
  @ApiProperty() email: string;
  @ApiProperty() display_name: string;
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
    description: 'Newest first, cut to the caller. X-Total-Count and Link headers.',
  })
  @ApiOkResponse({ type: [UserView] })
  async list(
    @Ctx() ctx: RequestContext,
    @Query() query: UserListQuery,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<UserView[]> {
    const page = { limit: query.limit ?? 50, page: query.page ?? 1 };
    const { users, total } = await this.users.list(ctx, {
      appId: query.app_id?.toLowerCase(),
      search: query.search,
      ...page,
    });
    setPageHeaders(request, response, { ...page, total });
    return users.map(userView);
  }

  @Post()
  @Requires({ standing: 'tenant_admin', scope: 'users:create' })
  @ApiOperation({ summary: 'Create a user' })
  @ApiCreatedResponse({ type: UserView })
  @ApiBadRequestResponse({ description: '`Password must be at least N characters`, `This password is too common`, …' })
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
}
