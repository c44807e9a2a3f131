import { Body, Controller, Header, HttpCode, Post, Req, Res, UseGuards } from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiForbiddenResponse,
  ApiOkResponse,
  ApiOperation,
  ApiProperty,
  ApiTags,
  ApiTooManyRequestsResponse,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../../common/http/access-marks.js';
import { Ctx } from '../../../common/http/context.decorator.js';
import type { RequestContext } from '../../../common/request-context.js';
import { Text, Uuid } from '../../../common/validation/fields.js';
import { OwnOriginGuard } from '../../access/own-origin.guard.js';
import { InviteContinuation } from './invite-continuation.service.js';
import { ProviderInvites } from './provider-invites.service.js';
import { DISPLAY_NAME_LENGTH } from '../../../users/display-name.rules.js';

class InviteAcceptRequest {
  @Text({ min: 1, max: 128, secret: true, description: 'Pending identity of this browser' })
  oauth_token: string;

  @Uuid()
  app_id: string;

  @Text({ min: 1, max: 64, description: 'Case, spaces and hyphens do not matter' })
  invite_code: string;

  @Text({ min: 1, max: DISPLAY_NAME_LENGTH })
  display_name: string;
}

class InviteAcceptedView {
  @ApiProperty({
    format: 'uri',
    description: 'Redirects to the app as /login does, or to the next page of the sign-in',
  })
  redirect: string;
}

/**
 * Accepts an invite over JSON, for a new user whom a provider has authenticated. {@link InvitePageController} does it
 * with a page.
 */
@ApiTags('External identity providers')
@Controller('oauth')
export class InviteAcceptController {
  constructor(
    private readonly invites: ProviderInvites,
    private readonly continuation: InviteContinuation,
  ) {}

  @Post('invite-accept')
  @Public()
  @UseGuards(OwnOriginGuard)
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'Accept an invite with an external identity' })
  @ApiOkResponse({ type: InviteAcceptedView })
  @ApiBadRequestResponse({
    description:
      '`Invalid or expired oauth_token`, `Invalid app_id`, `Invalid or expired invite`, `Invite not valid for this e-mail`, `Account already exists`',
  })
  @ApiForbiddenResponse({ description: 'The request comes from a page of another origin' })
  @ApiTooManyRequestsResponse({ description: '`too_many_requests`' })
  async accept(
    @Ctx() ctx: RequestContext,
    @Body() input: InviteAcceptRequest,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<InviteAcceptedView> {
    const accepted = {
      oauthToken: input.oauth_token,
      appId: input.app_id,
      code: input.invite_code,
      displayName: input.display_name,
    };
    const attempt = await this.invites.accept(ctx, accepted, request, response);
    return { redirect: await this.continuation.uriOf({ ctx, request, response }, attempt) };
  }
}
