import { Body, Controller, Header, Headers, HttpCode, Post } from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiConsumes,
  ApiForbiddenResponse,
  ApiOkResponse,
  ApiOperation,
  ApiProperty,
  ApiPropertyOptional,
  ApiTags,
  ApiUnauthorizedResponse,
} from '@nestjs/swagger';
import { Public } from '../../common/http/access-marks.js';
import { Ctx } from '../../common/http/context.decorator.js';
import { StatusView } from '../../common/http/status.view.js';
import type { RequestContext } from '../../common/request-context.js';
import { InvalidInput } from '../../common/validation/invalid-input.js';
import { ClientAuthenticator } from '../clients/client-authenticator.js';
import { CodeExchangeService } from '../grants/code-exchange.service.js';
import { RefreshTokensService } from '../grants/refresh-tokens.service.js';
import { RevocationService } from './revocation.service.js';
import { TokenCheckService } from './token-check.service.js';
import { TokenIssuer } from '../grants/token-issuer.js';
import { TokenResponse } from '../protocol/token-response.view.js';
import { presentedApp, presentedClient } from './presented-client.js';
import { ExchangeRequest, RefreshRequest, RevokeRequest, VerifyRequest } from '../protocol/token.dto.js';

class VerifiedClaimsView {
  @ApiProperty({ format: 'uuid' }) sub: string;
  @ApiProperty() email: string;
  @ApiProperty({ description: 'As it is now, not as it was when the token was issued' }) email_verified: boolean;
  @ApiProperty({ type: [String] }) roles: readonly string[];
  @ApiProperty({ format: 'uuid' }) aud: string;
  @ApiProperty() iss: string;
  @ApiProperty({ description: 'Unix seconds' }) exp: number;
}

class VerifyView {
  @ApiProperty() valid: boolean;
  @ApiPropertyOptional() claims?: VerifiedClaimsView;
  @ApiPropertyOptional({ description: 'The reason if valid is false' }) error?: string;
}

@ApiTags('Tokens and discovery')
@Controller('token')
export class TokenController {
  constructor(
    private readonly refreshTokens: RefreshTokensService,
    private readonly exchanges: CodeExchangeService,
    private readonly checks: TokenCheckService,
    private readonly issuer: TokenIssuer,
    private readonly clients: ClientAuthenticator,
    private readonly revocation: RevocationService,
  ) {}

  @Post('refresh')
  @Public()
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Refresh',
    description: 'Spends the refresh token. A second use ends every sign-in of that user at that app.',
  })
  @ApiOkResponse({ type: TokenResponse })
  @ApiUnauthorizedResponse({
    description: '`Invalid or expired refresh token`, `Token does not belong to this app`, `invalid_client`',
  })
  @ApiForbiddenResponse({ description: '`Account suspended`' })
  async refresh(
    @Ctx() ctx: RequestContext,
    @Body() input: RefreshRequest,
    @Headers('authorization') authorization?: string,
  ): Promise<TokenResponse> {
    await this.clients.identify(ctx, presentedApp(input, authorization));
    const grant = await this.refreshTokens.refresh(ctx, {
      refreshToken: input.refresh_token,
      appId: input.app_id.toLowerCase(),
      deviceId: input.device_id ?? null,
    });
    return this.issuer.respond(grant, 'refresh');
  }

  @Post('revoke')
  @Public()
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Revoke (RFC 7009)',
    description:
      'Ends the sign-in behind the refresh or access token. Answers 200 for unknown tokens too. Credentials that come along must be right, and the token that client’s; a confidential client must send them.',
  })
  @ApiConsumes('application/json', 'application/x-www-form-urlencoded')
  @ApiOkResponse({ type: StatusView })
  @ApiBadRequestResponse({ description: '`Token does not belong to this app`' })
  @ApiUnauthorizedResponse({ description: '`invalid_client`' })
  async revoke(
    @Ctx() ctx: RequestContext,
    @Body() input: RevokeRequest,
    @Headers('authorization') authorization?: string,
  ): Promise<StatusView> {
    const token = input.refresh_token ?? input.token;
    if (token === undefined) throw InvalidInput.field('refresh_token', 'Field required', 'missing');
    await this.revocation.revoke(ctx, token, presentedClient(input, authorization));
    return { status: 'ok' };
  }

  @Post('verify')
  @Public()
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Verify an access token',
    description: 'Answers 200 with `valid: false` for every invalid token.',
  })
  @ApiOkResponse({ type: VerifyView })
  async verify(@Body() input: VerifyRequest): Promise<VerifyView> {
    const check = await this.checks.check(input.token, input.audience);
    if (!check.valid) return { valid: false, error: check.error };
    const { sub, email, roles, aud, iss, exp } = check.claims;
    return { valid: true, claims: { sub, email, email_verified: check.emailVerified, roles, aud, iss, exp } };
  }

  @Post('exchange')
  @Public()
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Exchange a one-time code',
    description: 'JSON or form. The first attempt uses up the code, even if it fails.',
  })
  @ApiOkResponse({ type: TokenResponse })
  @ApiBadRequestResponse({ description: '`Invalid or expired code`, `Invalid code_verifier`' })
  async exchange(
    @Ctx() ctx: RequestContext,
    @Body() input: ExchangeRequest,
    @Headers('authorization') authorization?: string,
  ): Promise<TokenResponse> {
    const grant = await this.exchanges.exchange(ctx, presentedApp(input, authorization), input);
    return this.issuer.respond(grant, 'code');
  }
}
