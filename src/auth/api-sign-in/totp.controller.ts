import { Body, Controller, Header, HttpCode, Post, Req, Res, UseGuards } from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiForbiddenResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  ApiTooManyRequestsResponse,
  ApiUnauthorizedResponse,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../common/http/access-marks.js';
import { Ctx } from '../../common/http/context.decorator.js';
import type { RequestContext } from '../../common/request-context.js';
import { Text } from '../../common/validation/fields.js';
import { TokenResponse } from '../../tokens/protocol/token-response.view.js';
import { OwnOriginGuard } from '../access/own-origin.guard.js';
import { SignInResponses, type SignInResponse } from './sign-in-responses.js';
import { SsoSessionsService } from '../session/sso-sessions.service.js';
import { TotpLoginService } from './totp-login.service.js';

class TotpVerifyRequest {
  @Text({ min: 1, max: 4096, secret: true })
  totp_session: string;

  @Text({ min: 1, max: 64, description: 'Six digits from the authenticator app, or a backup code' })
  code: string;
}

@ApiTags('Sign-in')
@Controller('auth/totp')
export class TotpController {
  constructor(
    private readonly logins: TotpLoginService,
    private readonly answers: SignInResponses,
    private readonly sessions: SsoSessionsService,
  ) {}

  @Post('verify')
  @Public()
  @UseGuards(OwnOriginGuard)
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Sign in with the second factor',
    description: 'Also sets the SSO cookie. A TOTP session works once.',
  })
  @ApiOkResponse({ type: TokenResponse })
  @ApiBadRequestResponse({ description: '`Invalid or expired TOTP session`' })
  @ApiUnauthorizedResponse({ description: '`Invalid TOTP code`' })
  @ApiForbiddenResponse({
    description:
      '`You do not have access`, `Account suspended`; `Sign-in method not allowed` where the app has stopped taking the method since the sign-in began',
  })
  @ApiTooManyRequestsResponse({ description: '`Too many TOTP attempts`' })
  async verify(
    @Ctx() ctx: RequestContext,
    @Body() input: TotpVerifyRequest,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SignInResponse> {
    const presented = this.sessions.presented(request);
    return this.answers.send(response, await this.logins.verify(ctx, input.totp_session, input.code, presented));
  }
}
