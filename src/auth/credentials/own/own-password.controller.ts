import { Body, Controller, Header, HttpCode, Post, Put, Req, Res, UseGuards } from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiBearerAuth,
  ApiForbiddenResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  ApiTooManyRequestsResponse,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Account, Requires } from '../../../common/http/access-marks.js';
import { Ctx } from '../../../common/http/context.decorator.js';
import { StatusView } from '../../../common/http/status.view.js';
import type { RequestContext } from '../../../common/request-context.js';
import { Text } from '../../../common/validation/fields.js';
import { MAX_PASSWORD_LENGTH } from '../../../users/passwords/password.rules.js';
import { OwnOriginGuard } from '../../access/own-origin.guard.js';
import { AccountHolders } from '../../access/account-holder.service.js';
import { SsoSessionsService } from '../../session/sso-sessions.service.js';
import { OwnPasswordService } from './own-password.service.js';

class SetPasswordRequest {
  @Text({ min: 1, max: MAX_PASSWORD_LENGTH, secret: true })
  password: string;
}

class OwnPasswordChange {
  @Text({ min: 1, max: MAX_PASSWORD_LENGTH, secret: true })
  current_password: string;

  @Text({ min: 1, max: MAX_PASSWORD_LENGTH, secret: true })
  new_password: string;
}

@ApiTags('Account')
@ApiBearerAuth()
@Controller()
export class OwnPasswordController {
  constructor(
    private readonly passwords: OwnPasswordService,
    private readonly holders: AccountHolders,
    private readonly sessions: SsoSessionsService,
  ) {}

  @Post('account/set-password')
  @Account()
  @UseGuards(OwnOriginGuard)
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Set the first password of a passwordless account',
    description:
      'Send the SSO cookie or an access token made for a Console app, from a sign-in of the last five minutes. An ' +
      'access token made for any other app is refused. Every other session and every token ends, including the ' +
      'access token of this call; the browser’s session continues with a new cookie.',
  })
  @ApiOkResponse({ type: StatusView })
  @ApiBadRequestResponse({
    description: '`Password already set`, `Password must be at least N characters`, `This password is too common`, …',
  })
  @ApiForbiddenResponse({
    description:
      'Value of `detail`: `Insufficient permissions`, `{error: reauthentication_required}` (with `account_url` where a new sign-in at the app does not help)',
  })
  async set(
    @Body() input: SetPasswordRequest,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StatusView> {
    const holder = this.holders.of(request);
    const ssoToken = await this.passwords.set(holder, input.password, this.sessions.presented(request));
    if (ssoToken) this.sessions.send(response, ssoToken);
    return { status: 'ok' };
  }

  /** Reads no cookie, because like all of the admin API it answers pages of any origin. */
  @Put('admin/me/password')
  @Requires({ minimumRole: 'user' })
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Change your own password',
    description:
      'Ends all your sessions and tokens, including the access token of this call: sign in again with the new password. Wrong ' +
      'passwords count like those at the sign-in.',
  })
  @ApiOkResponse({ type: StatusView })
  @ApiBadRequestResponse({
    description:
      '`Current password is incorrect`, `No password set`, `Password must be at least N characters`, `This password is too common`, …',
  })
  @ApiTooManyRequestsResponse({ description: '`rate_limited`' })
  async change(
    @Ctx() ctx: RequestContext,
    @Body() input: OwnPasswordChange,
    @Req() request: Request,
  ): Promise<StatusView> {
    // The request contains the current password as the proof, so an app's token is enough to identify the user.
    const holder = await this.holders.find(ctx, request);
    await this.passwords.change(holder, input.current_password, input.new_password, null);
    return { status: 'ok' };
  }
}
