import { Body, Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiBearerAuth,
  ApiConflictResponse,
  ApiCreatedResponse,
  ApiExtraModels,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiProperty,
  ApiTags,
  refs,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Requires } from '../../../common/http/access-marks.js';
import { Ctx } from '../../../common/http/context.decorator.js';
import { setPageHeaders } from '../../../common/http/pagination/page-headers.js';
import { cursorOf } from '../../../common/http/pagination/query-cursor.js';
import { pageOf } from '../../../common/http/pagination/page-size.js';
import type { RequestContext } from '../../../common/request-context.js';
import { VisibleUsers } from '../../../enrollment/users/visible-users.service.js';
import { AppMemberView } from '../../../enrollment/members/app-member.view.js';
import { UserView } from '../../../users/user.view.js';
import { UserNotFound } from '../../../users/users.errors.js';
import { UserDetailView, userDetailView } from './user-detail.view.js';
import { UserCreate, UserListQuery, UserSearchQuery } from '../creation/user.dto.js';
import { UserViews } from './user-views.service.js';
import { UserCreationService } from '../creation/user-creation.service.js';
import { UserDetailsService } from './user-details.service.js';
import { UserListService } from './user-list.service.js';

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
    private readonly lists: UserListService,
    private readonly creation: UserCreationService,
    private readonly details: UserDetailsService,
    private readonly visibleUsers: VisibleUsers,
    private readonly views: UserViews,
  ) {}

  @Get()
  @Requires({ minimumRole: 'app_admin', scope: 'users:read' })
  @ApiOperation({
    summary: 'List users',
    description:
      'Newest first. You see the users whom you administer; a service token sees the members of its app. `Link` names the next page. `X-Total-Count` counts up to 1,000.',
  })
  @ApiExtraModels(UserView, AppMemberView)
  @ApiOkResponse({ schema: { type: 'array', items: { oneOf: refs(UserView, AppMemberView) } } })
  async list(
    @Ctx() ctx: RequestContext,
    @Query() query: UserListQuery,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<UserView[] | AppMemberView[]> {
    const page = pageOf(query);
    const { users, total, next } = await this.lists.list(ctx, {
      appId: query.app_id?.toLowerCase(),
      search: query.search,
      cursor: cursorOf(query.cursor),
      ...page,
    });
    setPageHeaders(request, response, { ...page, total, more: next !== null, cursor: next });
    return this.views.of(ctx, users);
  }

  @Post()
  @Requires({ minimumRole: 'tenant_admin', scope: 'users:create', recentSignIn: 'for_authority' })
  @ApiOperation({
    summary: 'Create a user',
    description:
      'An account that is a platform admin, is enrolled in a Console app or gets the role `admin` or `manager` requires a sign-in from the last 15 minutes. Service tokens cannot send these.',
  })
  @ApiCreatedResponse({ schema: { oneOf: refs(UserView, AppMemberView) } })
  @ApiBadRequestResponse({ description: '`Password must be at least N characters`, `This password is too common`, …' })
  @ApiConflictResponse({ description: '`User already exists`' })
  async create(@Ctx() ctx: RequestContext, @Body() input: UserCreate): Promise<UserView | AppMemberView> {
    const [made] = await this.views.of(ctx, [await this.creation.create(ctx, input)]);
    if (!made) throw new UserNotFound();
    return made;
  }

  @Get('search')
  @Requires({ minimumRole: 'app_admin' })
  @ApiOperation({
    summary: 'Search users by the beginning of the e-mail address',
    description: 'Returns up to ten matches.',
  })
  @ApiOkResponse({ type: [UserMatchView] })
  async search(@Ctx() ctx: RequestContext, @Query() query: UserSearchQuery): Promise<UserMatchView[]> {
    const users = await this.visibleUsers.searchByPrefix(ctx, query.q ?? '');
    return users.map(({ id, email, displayName }) => ({ id, email, display_name: displayName }));
  }

  @Get(':user_id/detail')
  @Requires({ minimumRole: 'app_admin' })
  @ApiOperation({
    summary: 'Get a user',
    description: 'Leaves out enrollments that you do not administer.',
  })
  @ApiOkResponse({ type: UserDetailView })
  @ApiNotFoundResponse({ description: '`User not found`' })
  async detail(@Ctx() ctx: RequestContext, @Param('user_id') userId: string): Promise<UserDetailView> {
    return userDetailView(await this.details.detail(ctx, userId));
  }
}
