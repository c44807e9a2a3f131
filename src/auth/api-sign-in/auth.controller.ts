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
import { LoginRequest, PendingApprovalView, SignUpRequest } from './auth.dto.js';
import { PasswordLoginService } from './password-login.service.js';
import { SignUpLoginService } from './sign-up-login.service.js';
import { type SignInResponse, SignInResponses, TotpRequiredView } from './sign-in-responses.js';
import { SsoSessionsService } from '../session/sso-sessions.service.js';

@ApiTags('Sign-in')
@Controller('auth')
export class AuthController {
  constructor(
    private readonly logins: PasswordLoginService,
    private readonly signUps: SignUpLoginService,
    private readonly sessions: SsoSessionsService,
    private readonly answers: SignInResponses,
  ) {}

  @Post('login')
  @Public()
  @UseGuards(OwnOriginGuard)
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Sign in with a password',
    description: 'Also sets the SSO cookie. Requests from pages of other origins are refused.',
  })
  @ApiExtraModels(TokenResponse, TotpRequiredView)
  @ApiOkResponse({ schema: { oneOf: refs(TokenResponse, TotpRequiredView) } })
  @ApiBadRequestResponse({ description: '`Invalid app_id`, `Password login not enabled`' })
  @ApiUnauthorizedResponse({ description: '`Invalid email or password`' })
  @ApiForbiddenResponse({
    description:
      'Value of `detail`: `You do not have access`, `Account suspended`, `{error: 2fa_required, setup_token}`, `{error: email_not_verified}` (the link has been mailed again)',
  })
  @ApiTooManyRequestsResponse({ description: '`rate_limited`' })
  async login(
    @Ctx() ctx: RequestContext,
    @Body() input: LoginRequest,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SignInResponse> {
    const answer = await this.logins.login(ctx, {
      email: input.email,
      password: input.password,
      appId: input.app_id.toLowerCase(),
      deviceId: input.device_id ?? null,
      replacedSession: this.sessions.presented(request),
    });
    return this.answers.send(response, answer);
  }

  @Post('signup')
  @Public()
  @UseGuards(OwnOriginGuard)
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Create an account',
    description:
      'An open app returns tokens and sets the SSO cookie. An app that approves new users returns `{status: pending_approval}` and no tokens.',
  })
  @ApiExtraModels(PendingApprovalView)
  @ApiOkResponse({ schema: { oneOf: refs(TokenResponse, PendingApprovalView) } })
  @ApiBadRequestResponse({
    description:
      '`Invalid app_id`, `This app requires an invite code`, `Account already exists`, `Password must be at least N characters`, `This password is too common`, …',
  })
  @ApiForbiddenResponse({
    description:
      'The account was created. Value of `detail`: `{error: 2fa_required, setup_token}`, `{error: email_not_verified}`',
  })
  @ApiTooManyRequestsResponse({ description: '`too_many_requests`, with Retry-After' })
  async signUp(
    @Ctx() ctx: RequestContext,
    @Body() input: SignUpRequest,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<TokenResponse | PendingApprovalView> {
    const result = await this.signUps.signUp(
      ctx,
      input.app_id.toLowerCase(),
      { email: input.email, displayName: input.display_name, password: input.password ?? null },
      input.device_id ?? null,
      this.sessions.presented(request),
    );
    if (result.pending) return { status: 'pending_approval' };
    if (result.ssoToken !== null) this.sessions.send(response, result.ssoToken);
    return result.tokens;
  }
}
