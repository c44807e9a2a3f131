import { Body, Controller, Header, HttpCode, Post, Req, Res, UseGuards } from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiExtraModels,
  ApiForbiddenResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  ApiTooManyRequestsResponse,
  ApiUnauthorizedResponse,
  refs,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../common/http/access-marks.js';
import { Ctx } from '../../common/http/context.decorator.js';
import type { RequestContext } from '../../common/request-context.js';
import { TokenResponse } from '../../tokens/protocol/token-response.view.js';
import { OwnOriginGuard } from '../access/own-origin.guard.js';
import { SsoSessionsService } from '../session/sso-sessions.service.js';
import { type SignInResponse, SignInResponses, TotpRequiredView } from '../api-sign-in/sign-in-responses.js';
import { AccessRequestsBySession } from './access-requests-by-session.js';
import { type Acceptance, InviteAcceptance } from './invite-acceptance.service.js';
import { AcceptInviteRequest, AccessRequest, AccessRequestView, RedeemInviteRequest } from './joining.dto.js';
import { SignedInUser } from './signed-in-user.js';

const BAD_REQUESTS =
  '`Invalid app_id`, `Invalid or expired invite`, `Invite not valid for this e-mail`, `Password login not enabled`, `Password must be at least N characters`, `This password is too common`, …';
const TWO_FACTOR_REFUSALS =
  'Value of `detail`: `Account suspended`, `{error: 2fa_required, setup_token}`. There is no `setup_token` if you sent the access token of an app or the sign-in is more than five minutes old: the user must sign in to set up a second factor';

@ApiTags('Sign-in')
@Controller('auth')
export class JoiningController {
  constructor(
    private readonly acceptance: InviteAcceptance,
    private readonly requests: AccessRequestsBySession,
    private readonly users: SignedInUser,
    private readonly sessions: SsoSessionsService,
    private readonly answers: SignInResponses,
  ) {}

  @Post('accept-invite')
  @Public('session', 'console_token', 'app_token')
  @UseGuards(OwnOriginGuard)
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Accept an invite',
    description:
      'For a new address, creates an account, enrolls it and signs it in. For an existing account, send its SSO session or its access token (of a Console app or, to join, of another app of the same tenant). At an app that accepts sign-in links by e-mail, the code from the e-mail to that address is enough; it sets no SSO cookie.',
  })
  @ApiExtraModels(TokenResponse, TotpRequiredView)
  @ApiOkResponse({ schema: { oneOf: refs(TokenResponse, TotpRequiredView) } })
  @ApiBadRequestResponse({ description: BAD_REQUESTS })
  @ApiUnauthorizedResponse({ description: '`Sign in to accept this invite`' })
  @ApiForbiddenResponse({ description: TWO_FACTOR_REFUSALS })
  @ApiTooManyRequestsResponse({ description: '`too_many_requests`' })
  acceptInvite(
    @Ctx() ctx: RequestContext,
    @Body() input: AcceptInviteRequest,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SignInResponse> {
    const appId = input.app_id;
    return this.accept(ctx, request, response, {
      ...optional(input),
      code: input.invite_code,
      appId,
      email: input.email ?? null,
    });
  }

  @Post('invite')
  @Public('session', 'console_token', 'app_token')
  @UseGuards(OwnOriginGuard)
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Create an account with an invite',
    description: 'Like POST /auth/accept-invite. The app is taken from the invite.',
  })
  @ApiExtraModels(TokenResponse, TotpRequiredView)
  @ApiOkResponse({ schema: { oneOf: refs(TokenResponse, TotpRequiredView) } })
  @ApiBadRequestResponse({ description: BAD_REQUESTS })
  @ApiUnauthorizedResponse({ description: '`Sign in to accept this invite`' })
  @ApiForbiddenResponse({ description: TWO_FACTOR_REFUSALS })
  @ApiTooManyRequestsResponse({ description: '`too_many_requests`' })
  redeemInvite(
    @Ctx() ctx: RequestContext,
    @Body() input: RedeemInviteRequest,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SignInResponse> {
    const appId = input.app_id ?? null;
    return this.accept(ctx, request, response, {
      ...optional(input),
      code: input.invite_code,
      appId,
      email: input.email,
    });
  }

  @Post('request-access')
  @Public('session')
  @UseGuards(OwnOriginGuard)
  @HttpCode(200)
  @ApiOperation({
    summary: 'Request access to an app',
    description:
      'Requires the SSO cookie of a sign-in with one of the app’s methods. An open app enrolls the user immediately. Asking again changes nothing.',
  })
  @ApiOkResponse({ type: AccessRequestView })
  @ApiBadRequestResponse({ description: '`Invalid app_id`, `This app requires an invite code`' })
  @ApiUnauthorizedResponse({ description: '`Not authenticated`' })
  @ApiForbiddenResponse({ description: '`Account suspended`' })
  async requestAccess(
    @Ctx() ctx: RequestContext,
    @Body() input: AccessRequest,
    @Req() request: Request,
  ): Promise<AccessRequestView> {
    return { status: await this.requests.request(ctx, request, input.app_id, input.message ?? null) };
  }

  private async accept(
    ctx: RequestContext,
    request: Request,
    response: Response,
    input: Omit<Acceptance, 'replacedSession'>,
  ): Promise<SignInResponse> {
    const me = await this.users.find(request);
    const replacedSession = this.sessions.presented(request);
    return this.answers.send(response, await this.acceptance.accept(ctx, { ...input, replacedSession }, me));
  }
}

function optional(input: AcceptInviteRequest | RedeemInviteRequest) {
  const { display_name, password, device_id } = input;
  return { displayName: display_name ?? null, password: password ?? null, deviceId: device_id ?? null };
}
