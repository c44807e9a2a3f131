import { Body, Controller, Header, HttpCode, Post, Req, Res, UseGuards } from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiBearerAuth,
  ApiConflictResponse,
  ApiForbiddenResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  ApiTooManyRequestsResponse,
  ApiUnauthorizedResponse,
} from '@nestjs/swagger';
import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/server';
import type { Request, Response } from 'express';
import { Account } from '../../../common/http/access-marks.js';
import { StatusView } from '../../../common/http/status.view.js';
import { AccountHolders } from '../../access/account-holder.service.js';
import { OwnOriginGuard } from '../../access/own-origin.guard.js';
import { SsoSessionsService } from '../../session/sso-sessions.service.js';
import { PasskeyOptionsRequest, PasskeyRegistrationRequest } from './passkey.dto.js';
import { NativePasskeys } from './native-passkeys.service.js';

const WHO = 'Send the SSO cookie or an access token made for a Console app, from a sign-in of the last five minutes.';

/** New passkeys of native apps. In a browser they are added on the account page. */
@ApiTags('Account')
@ApiBearerAuth()
@Controller('auth/passkey/registration')
@UseGuards(OwnOriginGuard)
export class PasskeyRegistrationController {
  constructor(
    private readonly holders: AccountHolders,
    private readonly passkeys: NativePasskeys,
    private readonly sessions: SsoSessionsService,
  ) {}

  @Post('options')
  @Account()
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Get options for a new passkey of a native app',
    description: `${WHO} The challenge is valid for 5 minutes and works once.`,
  })
  @ApiOkResponse({ description: 'PublicKeyCredentialCreationOptionsJSON (WebAuthn Level 3)' })
  @ApiBadRequestResponse({ description: '`Invalid app_id`' })
  @ApiUnauthorizedResponse({ description: '`Not authenticated`' })
  @ApiForbiddenResponse({
    description:
      'Value of `detail`: `Insufficient permissions`, `Sign-in method not allowed`, `{error: reauthentication_required}` (with `account_url` where a new sign-in at the app does not help); also for a page of another origin',
  })
  @ApiTooManyRequestsResponse({ description: '`rate_limited`' })
  async options(
    @Body() input: PasskeyOptionsRequest,
    @Req() request: Request,
  ): Promise<PublicKeyCredentialCreationOptionsJSON> {
    return this.passkeys.options(await this.holders.requireFresh(request), input.app_id.toLowerCase());
  }

  @Post()
  @Account()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Store a new passkey of a native app',
    description:
      `For native apps named in \`config.android_apps\` and \`config.apple_app_ids\`. ${WHO} ` +
      'The user gets an e-mail about it. A session gets a new cookie if the authenticator verified the user.',
  })
  @ApiOkResponse({ type: StatusView })
  @ApiBadRequestResponse({ description: '`Invalid app_id`' })
  @ApiUnauthorizedResponse({ description: '`Not authenticated`, `Invalid passkey`' })
  @ApiForbiddenResponse({
    description:
      'Value of `detail`: `Insufficient permissions`, `Sign-in method not allowed`, `{error: reauthentication_required}` (with `account_url` where a new sign-in at the app does not help); also for a page of another origin',
  })
  @ApiConflictResponse({
    description:
      '`Passkey already added`, `Passkey model not accepted. Use an authenticator that the tenant allows`, `Too many passkeys. Remove one first`',
  })
  @ApiTooManyRequestsResponse({ description: '`rate_limited`' })
  async add(
    @Body() input: PasskeyRegistrationRequest,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StatusView> {
    const holder = await this.holders.requireFresh(request);
    const answer = JSON.stringify(input.credential);
    const ssoToken = await this.passkeys.add(holder, input.app_id.toLowerCase(), answer, request);
    if (ssoToken) this.sessions.send(response, ssoToken);
    return { status: 'ok' };
  }
}
