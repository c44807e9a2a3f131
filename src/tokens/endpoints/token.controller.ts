import { Body, Controller, Header, Headers, HttpCode, Post } from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiForbiddenResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  ApiUnauthorizedResponse,
} from '@nestjs/swagger';
import { Public } from '../../common/http/access-marks.js';
import { Ctx } from '../../common/http/context.decorator.js';
import type { RequestContext } from '../../common/request-context.js';
import { ClientAuthenticator } from '../clients/client-authenticator.js';
import { CodeExchangeService } from '../grants/code-exchange.service.js';
import { RefreshTokensService } from '../grants/refresh-tokens.service.js';
import { TokenIssuer } from '../grants/token-issuer.js';
import { TokenResponse } from '../protocol/token-response.view.js';
import { ExchangeRequest, RefreshRequest } from '../protocol/token.dto.js';
import { presentedApp } from './presented-client.js';

@ApiTags('Tokens and discovery')
@Controller('token')
export class TokenController {
  constructor(
    private readonly refreshTokens: RefreshTokensService,
    private readonly exchanges: CodeExchangeService,
    private readonly issuer: TokenIssuer,
    private readonly clients: ClientAuthenticator,
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
