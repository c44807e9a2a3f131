import { Body, Controller, Header, HttpCode, Post, Req, Res, UseGuards } from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiBearerAuth,
  ApiForbiddenResponse,
  ApiOkResponse,
  ApiOperation,
  ApiProperty,
  ApiTags,
  ApiTooManyRequestsResponse,
  ApiUnauthorizedResponse,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Account } from '../../../common/http/access-marks.js';
import { InsufficientPermissions } from '../../../common/http/http.refusals.js';
import { StatusView } from '../../../common/http/status.view.js';
import { Text } from '../../../common/validation/fields.js';
import { MAX_PASSWORD_LENGTH } from '../../../users/passwords/password.rules.js';
import { OwnOriginGuard } from '../../access/own-origin.guard.js';
import { PasswordRequired } from '../../entry/auth.errors.js';
import { PasswordCheckService } from '../password/password-check.service.js';
import { SsoSessionsService } from '../../session/sso-sessions.service.js';
import { type AccountHolder, AccountHolders } from '../../access/account-holder.service.js';
import { SecondFactorService } from '../second-factor/management/second-factor.service.js';
import { SecondFactorSetup } from '../second-factor/management/second-factor-setup.service.js';

const ISSUER = 'Identity Broker';

class CodeRequest {
  @Text({
    min: 1,
    max: 64,
    description: 'Six digits from the authenticator app, or a backup code where one is accepted',
  })
  code: string;
}

class TotpSetupRequest {
  @Text({
    min: 1,
    max: MAX_PASSWORD_LENGTH,
    secret: true,
    optional: true,
    description: 'Required with an access token that was made for an app other than a Console app',
  })
  password?: string;
}

class TotpSetupView {
  @ApiProperty({ description: 'Base 32; shown only once' }) secret: string;
  @ApiProperty({ example: 'otpauth://totp/…' }) otpauth_uri: string;
  @ApiProperty({ description: 'QR code of the secret as an SVG image' }) qr_svg: string;
}

class BackupCodesView {
  @ApiProperty({ type: [String], description: 'Ten codes; each works for one sign-in. Shown only once' })
  backup_codes: string[];
}

/** A user's own second factor as JSON. The hosted page for it is GET /account. */
@ApiTags('Account')
@ApiBearerAuth()
@Controller('account')
@UseGuards(OwnOriginGuard)
export class AccountSecurityController {
  constructor(
    private readonly holders: AccountHolders,
    private readonly passwords: PasswordCheckService,
    private readonly secondFactor: SecondFactorService,
    private readonly setups: SecondFactorSetup,
    private readonly sessions: SsoSessionsService,
  ) {}

  @Post('totp/setup')
  @Account('setup_token', 'app_token')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Start setting up an authenticator app',
    description:
      'Send the SSO cookie, an access token made for a Console app, or a `setup_token`, from a sign-in of the last five ' +
      'minutes. A native app may send its own access token together with the user’s password.',
  })
  @ApiOkResponse({ type: TotpSetupView })
  @ApiBadRequestResponse({ description: '`Password required`, `Second factor already set up`' })
  @ApiUnauthorizedResponse({ description: '`Not authenticated`, `Invalid credentials`' })
  @ApiForbiddenResponse({
    description:
      'Value of `detail`: `{error: reauthentication_required}` (with `account_url` where a new sign-in at the app does not help)',
  })
  @ApiTooManyRequestsResponse({ description: '`rate_limited`' })
  async setup(@Body() input: TotpSetupRequest, @Req() request: Request): Promise<TotpSetupView> {
    const holder = await this.holders.requireFresh(request);
    if (holder.via === 'app_token') {
      if (input.password === undefined) throw new PasswordRequired();
      await this.passwords.confirm(holder.ctx, holder.user, input.password);
    }
    const { secret, otpauthUri, qrSvg } = await this.setups.begin(holder.user, ISSUER, begunBy(holder), 'new');
    return { secret, otpauth_uri: otpauthUri, qr_svg: qrSvg };
  }

  @Post('totp/confirm')
  @Account('setup_token', 'app_token')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Confirm the authenticator app with a code',
    description:
      'From now on every sign-in asks for a code. Send the credential that you started the setup with; a session gets a new cookie.',
  })
  @ApiOkResponse({ type: BackupCodesView })
  @ApiBadRequestResponse({ description: '`Second factor already set up`, `Set up a second factor first`' })
  @ApiUnauthorizedResponse({ description: '`Not authenticated`, `Invalid TOTP code`' })
  @ApiForbiddenResponse({
    description:
      'Value of `detail`: `Insufficient permissions`, `{error: reauthentication_required}` (with `account_url` where a new sign-in at the app does not help)',
  })
  @ApiTooManyRequestsResponse({ description: '`Too many TOTP attempts`' })
  async confirm(
    @Body() input: CodeRequest,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<BackupCodesView> {
    const holder = await this.holders.requireFresh(request);
    const within = begunBy(holder);
    if (within !== null && !(await this.setups.isBegun(holder.user, within))) throw new InsufficientPermissions();
    const shown = { code: input.code, auditedApp: null, within };
    const { backupCodes, made } = await this.setups.confirm(holder.ctx, holder, shown, (tx, held) =>
      this.sessions.strengthen(tx, holder.ctx, held, holder.session, request),
    );
    if (made) this.sessions.send(response, made);
    return { backup_codes: backupCodes };
  }

  @Post('totp/disable')
  @Account()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Remove the second factor',
    description:
      'Send the SSO cookie or an access token made for a Console app, from a sign-in of the last five minutes.',
  })
  @ApiOkResponse({ type: StatusView })
  @ApiBadRequestResponse({ description: '`No second factor set up`' })
  @ApiUnauthorizedResponse({ description: '`Not authenticated`, `Invalid TOTP code`' })
  @ApiForbiddenResponse({
    description:
      'Value of `detail`: `Insufficient permissions`, `{error: reauthentication_required}` (with `account_url` where a new sign-in at the app does not help)',
  })
  @ApiTooManyRequestsResponse({ description: '`Too many TOTP attempts`' })
  async disable(@Body() input: CodeRequest, @Req() request: Request): Promise<StatusView> {
    const holder = await this.holders.requireFresh(request);
    await this.secondFactor.disable(holder.ctx, holder, input.code);
    return { status: 'ok' };
  }

  @Post('backup-codes')
  @Account()
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Create new backup codes',
    description:
      'The old codes stop working. Send the SSO cookie or an access token of a Console app, from a sign-in in the last five ' +
      'minutes.',
  })
  @ApiOkResponse({ type: BackupCodesView })
  @ApiBadRequestResponse({ description: '`No second factor set up`' })
  @ApiUnauthorizedResponse({ description: '`Not authenticated`, `Invalid TOTP code`' })
  @ApiForbiddenResponse({
    description:
      'Value of `detail`: `Insufficient permissions`, `{error: reauthentication_required}` (with `account_url` where a new sign-in at the app does not help)',
  })
  @ApiTooManyRequestsResponse({ description: '`Too many TOTP attempts`' })
  async regenerate(@Body() input: CodeRequest, @Req() request: Request): Promise<BackupCodesView> {
    const holder = await this.holders.requireFresh(request);
    return { backup_codes: await this.secondFactor.regenerateCodes(holder.ctx, holder, input.code) };
  }
}

/** The setup that a caller may complete: with an app's token only one that the same app began with the password. */
function begunBy({ via, ctx: { actor } }: AccountHolder): string | null {
  return via === 'app_token' && actor.type === 'user' ? `app:${actor.audience}` : null;
}
