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
import { Public } from '../../common/http/access-marks.js';
import { Ctx } from '../../common/http/context.decorator.js';
import { StatusView } from '../../common/http/status.view.js';
import type { RequestContext } from '../../common/request-context.js';
import { Text } from '../../common/validation/fields.js';
import { OwnOriginGuard } from '../access/own-origin.guard.js';
import { SsoSessionsService } from '../session/sso-sessions.service.js';
import { AccountHolders } from './account-holder.service.js';
import { SecondFactorService } from './second-factor.service.js';

const ISSUER = 'Identity Broker';

class CodeRequest {
  @Text({ min: 1, max: 64, description: 'Six digits of the authenticator app; a backup code where one counts' })
  code: string;
}

class TotpSetupView {
  @ApiProperty({ description: 'Base 32; shown this once' }) secret: string;
  @ApiProperty({ example: 'otpauth://totp/…' }) otpauth_uri: string;
  @ApiProperty({ description: 'The same as an SVG image' }) qr_svg: string;
}

class BackupCodesView {
  @ApiProperty({ type: [String], description: 'Ten, each good for one sign-in; shown this once' })
  backup_codes: string[];
}

/** A person's own second factor, by SSO cookie or bearer token. The hosted page for it is GET /account. */
@ApiTags('Account')
@ApiBearerAuth()
@Controller('account')
@UseGuards(OwnOriginGuard)
export class AccountSecurityController {
  constructor(
    private readonly holders: AccountHolders,
    private readonly secondFactor: SecondFactorService,
    private readonly sessions: SsoSessionsService,
  ) {}

  @Post('totp/setup')
  @Public()
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Begin to set up an authenticator app',
    description: 'By SSO cookie, access token or `setup_token`, within five minutes of the sign-in.',
  })
  @ApiOkResponse({ type: TotpSetupView })
  @ApiBadRequestResponse({ description: '`Second factor already set up`' })
  @ApiUnauthorizedResponse({ description: '`Not authenticated`' })
  @ApiForbiddenResponse({ description: '`{error: reauthentication_required}`' })
  async setup(@Ctx() ctx: RequestContext, @Req() request: Request): Promise<TotpSetupView> {
    const { user } = await this.holders.findFresh(ctx, request, { setupToken: true });
    const { secret, otpauthUri, qrSvg } = await this.secondFactor.begin(user, ISSUER);
    return { secret, otpauth_uri: otpauthUri, qr_svg: qrSvg };
  }

  @Post('totp/confirm')
  @Public()
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Confirm the authenticator app by a code',
    description: 'From here on it is asked for; a session gets a new cookie.',
  })
  @ApiOkResponse({ type: BackupCodesView })
  @ApiBadRequestResponse({ description: '`Second factor already set up`, `Set up a second factor first`' })
  @ApiUnauthorizedResponse({ description: '`Not authenticated`, `Invalid TOTP code`' })
  @ApiForbiddenResponse({ description: '`{error: reauthentication_required}`' })
  @ApiTooManyRequestsResponse({ description: '`Too many TOTP attempts`' })
  async confirm(
    @Ctx() ctx: RequestContext,
    @Body() input: CodeRequest,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<BackupCodesView> {
    const holder = await this.holders.findFresh(ctx, request, { setupToken: true });
    const shown = { code: input.code.trim(), place: null, within: null };
    const { backupCodes, made } = await this.secondFactor.confirm(holder.ctx, holder, shown, (tx, held) =>
      this.holders.strengthen(tx, held, holder, request),
    );
    if (made) this.sessions.send(response, made);
    return { backup_codes: backupCodes };
  }

  @Post('totp/disable')
  @Public()
  @HttpCode(200)
  @ApiOperation({ summary: 'Remove the second factor', description: 'Within five minutes of the sign-in.' })
  @ApiOkResponse({ type: StatusView })
  @ApiBadRequestResponse({ description: '`No second factor set up`' })
  @ApiUnauthorizedResponse({ description: '`Not authenticated`, `Invalid TOTP code`' })
  @ApiForbiddenResponse({ description: '`{error: reauthentication_required}`' })
  @ApiTooManyRequestsResponse({ description: '`Too many TOTP attempts`' })
  async disable(@Ctx() ctx: RequestContext, @Body() input: CodeRequest, @Req() request: Request): Promise<StatusView> {
    const holder = await this.holders.findFresh(ctx, request);
    await this.secondFactor.disable(holder.ctx, holder, input.code.trim());
    return { status: 'ok' };
  }

  @Post('backup-codes')
  @Public()
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'New backup codes',
    description: 'The old ones are void. Within five minutes of the sign-in.',
  })
  @ApiOkResponse({ type: BackupCodesView })
  @ApiBadRequestResponse({ description: '`No second factor set up`' })
  @ApiUnauthorizedResponse({ description: '`Not authenticated`, `Invalid TOTP code`' })
  @ApiForbiddenResponse({ description: '`{error: reauthentication_required}`' })
  @ApiTooManyRequestsResponse({ description: '`Too many TOTP attempts`' })
  async regenerate(
    @Ctx() ctx: RequestContext,
    @Body() input: CodeRequest,
    @Req() request: Request,
  ): Promise<BackupCodesView> {
    const holder = await this.holders.findFresh(ctx, request);
    return { backup_codes: await this.secondFactor.regenerateCodes(holder.ctx, holder, input.code.trim()) };
  }
}
