import { Body, Controller, Header, HttpCode, Post, Req, Res, UseGuards } from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiForbiddenResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  ApiUnauthorizedResponse,
  refs,
} from '@nestjs/swagger';
import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server';
import type { Request, Response } from 'express';
import { Public } from '../../../common/http/access-marks.js';
import { Ctx } from '../../../common/http/context.decorator.js';
import type { RequestContext } from '../../../common/request-context.js';
import { NetworkLimit } from '../../../rate-limits/network-limit.js';
import { TokenResponse } from '../../../tokens/protocol/token-response.view.js';
import { OwnOriginGuard } from '../../access/own-origin.guard.js';
import { SsoSessionsService } from '../../session/sso-sessions.service.js';
import { PasskeyLoginRequest, PasskeyOptionsRequest } from './passkey.dto.js';
import { PasskeyLoginService } from './passkey-login.service.js';
import { type SignInResponse, SignInResponses, TotpRequiredView } from '../sign-in-responses.js';

/** Passkeys of native apps, for the platform's own dialog (Credential Manager, AuthenticationServices). */
@ApiTags('Sign-in')
@Controller('auth/passkey')
@UseGuards(OwnOriginGuard)
export class PasskeyLoginController {
  constructor(
    private readonly logins: PasskeyLoginService,
    private readonly sessions: SsoSessionsService,
    private readonly answers: SignInResponses,
  ) {}

  @Post('options')
  @Public()
  @NetworkLimit('passkey_ip')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Get options for a sign-in with a passkey',
    description: 'For native apps. The challenge works once, for 5 minutes.',
  })
  @ApiOkResponse({ description: 'PublicKeyCredentialRequestOptionsJSON (WebAuthn Level 3)' })
  @ApiBadRequestResponse({ description: '`Invalid app_id`' })
  @ApiForbiddenResponse({ description: 'The app does not accept passkeys' })
  options(@Body() input: PasskeyOptionsRequest): Promise<PublicKeyCredentialRequestOptionsJSON> {
    return this.logins.options(input.app_id.toLowerCase());
  }

  @Post()
  @Public()
  @NetworkLimit('passkey_ip')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Sign in with a passkey',
    description:
      'For native apps named in `config.android_apps` and `config.apple_app_ids`, and for websites of related origins, which ' +
      'send it from their server. Also sets the SSO cookie. Requests of pages of other origins are refused.',
  })
  @ApiOkResponse({ schema: { oneOf: refs(TokenResponse, TotpRequiredView) } })
  @ApiBadRequestResponse({ description: '`Invalid app_id`' })
  @ApiUnauthorizedResponse({ description: '`Invalid passkey`' })
  @ApiForbiddenResponse({
    description:
      'Value of `detail`: `You do not have access`, `Account suspended`, `{error: 2fa_required, setup_token}`',
  })
  async login(
    @Ctx() ctx: RequestContext,
    @Body() input: PasskeyLoginRequest,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SignInResponse> {
    const answer = await this.logins.login(ctx, {
      appId: input.app_id.toLowerCase(),
      credential: JSON.stringify(input.credential),
      deviceId: input.device_id ?? null,
      replacedSession: this.sessions.presented(request),
    });
    return this.answers.send(response, answer);
  }
}
