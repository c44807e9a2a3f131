import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiBody,
  ApiConflictResponse,
  ApiCreatedResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  ApiTooManyRequestsResponse,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Requires } from '../../common/http/access-marks.js';
import { Ctx } from '../../common/http/context.decorator.js';
import { setPageHeaders } from '../../common/http/pagination/page-headers.js';
import { PageQuery } from '../../common/http/pagination/page-query.dto.js';
import { pageOf } from '../../common/http/pagination/page-size.js';
import type { RequestContext } from '../../common/request-context.js';
import { InvalidInput } from '../../common/validation/invalid-input.js';
import { InviteCreate, InviteCreateForApp, InviteResend } from './invite.dto.js';
import { InviteView, inviteView } from '../invite/invite.view.js';
import { InvitesService } from './invites.service.js';

const REGISTERED_ITSELF =
  '`The app has registered itself. You can only switch it off or on, archive it, and suspend, reactivate or remove its users`';

@ApiTags('Admin: invites')
@ApiBearerAuth()
@Controller('admin')
export class InvitesController {
  constructor(private readonly invites: InvitesService) {}

  @Post('apps/:app_id/invites')
  @Requires({ minimumRole: 'app_manager', scope: 'invites:create', recentSignIn: 'for_authority' })
  @ApiOperation({
    summary: 'Create an invite',
    description:
      'App managers and service tokens cannot invite administrators. Only the administrators of a Console app can invite to it. An invite to a Console app, or with the role `admin` or `manager`, requires a sign-in from the last 15 minutes.',
  })
  @ApiCreatedResponse({ type: InviteView })
  @ApiConflictResponse({ description: REGISTERED_ITSELF })
  @ApiTooManyRequestsResponse({
    description: '`too_many_requests`: too many invites by e-mail to this address or in this tenant',
  })
  async create(
    @Ctx() ctx: RequestContext,
    @Param('app_id') appId: string,
    @Body() input: InviteCreateForApp,
  ): Promise<InviteView> {
    if (input.app_id !== undefined && input.app_id !== appId)
      throw InvalidInput.field('app_id', 'Differs from the app in the address');
    return inviteView(await this.invites.create(ctx, appId, input));
  }

  @Post('invites')
  @Requires({ minimumRole: 'app_manager', scope: 'invites:create', recentSignIn: 'for_authority' })
  @ApiOperation({ summary: 'Create an invite (alias)' })
  @ApiCreatedResponse({ type: InviteView })
  @ApiConflictResponse({ description: REGISTERED_ITSELF })
  @ApiTooManyRequestsResponse({
    description: '`too_many_requests`: too many invites by e-mail to this address or in this tenant',
  })
  async createAt(@Ctx() ctx: RequestContext, @Body() input: InviteCreate): Promise<InviteView> {
    return inviteView(await this.invites.create(ctx, input.app_id, input));
  }

  @Get('apps/:app_id/invites')
  @Requires({ minimumRole: 'app_manager', recentSignIn: 'for_codes' })
  @ApiOperation({
    summary: 'List the invites of an app',
    description:
      'Newest first. App managers see only invites with the role `user`. `code` is `null` for an invite that gives authority, unless you signed in within the last 15 minutes. Returns X-Total-Count and Link headers.',
  })
  @ApiOkResponse({ type: [InviteView] })
  async list(
    @Ctx() ctx: RequestContext,
    @Param('app_id') appId: string,
    @Query() query: PageQuery,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<InviteView[]> {
    const page = pageOf(query);
    const { invites, total } = await this.invites.list(ctx, appId, page);
    setPageHeaders(request, response, { ...page, total });
    return invites.map(inviteView);
  }

  @Get('invites/:invite_id')
  @Requires({ minimumRole: 'app_manager', recentSignIn: 'for_codes' })
  @ApiOperation({
    summary: 'Read an invite',
    description:
      '`code` is `null` for an invite that gives authority, unless you signed in within the last 15 minutes.',
  })
  @ApiOkResponse({ type: InviteView })
  @ApiNotFoundResponse({ description: '`Invite not found`' })
  async get(@Ctx() ctx: RequestContext, @Param('invite_id') id: string): Promise<InviteView> {
    return inviteView(await this.invites.get(ctx, id));
  }

  @Delete('invites/:invite_id')
  @Requires({ minimumRole: 'app_admin' })
  @ApiOperation({
    summary: 'Revoke an invite',
    description: 'Sets `max_uses` to `use_count`, so that the invite cannot be used again.',
  })
  @ApiOkResponse({ type: InviteView })
  @ApiNotFoundResponse({ description: '`Invite not found`' })
  async revoke(@Ctx() ctx: RequestContext, @Param('invite_id') id: string): Promise<InviteView> {
    return inviteView(await this.invites.revoke(ctx, id));
  }

  @Post('invites/:invite_id/resend')
  @HttpCode(200)
  @Requires({ minimumRole: 'app_admin', recentSignIn: 'for_authority' })
  @ApiOperation({
    summary: 'Send an invite again',
    description:
      'Revokes the invite, mails a new one with the remaining uses, and returns the new one. Requires the same sign-in as a new invite.',
  })
  @ApiBody({ type: InviteResend, required: false })
  @ApiOkResponse({ type: InviteView })
  @ApiNotFoundResponse({ description: '`Invite not found`' })
  @ApiConflictResponse({ description: `\`Invite is exhausted\`; ${REGISTERED_ITSELF}` })
  async resend(
    @Ctx() ctx: RequestContext,
    @Param('invite_id') id: string,
    @Body() input?: InviteResend,
  ): Promise<InviteView> {
    return inviteView(await this.invites.resend(ctx, id, input ?? {}));
  }
}
