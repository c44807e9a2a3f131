import { Body, Controller, HttpCode, Post, Req } from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiForbiddenResponse,
  ApiHeader,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  ApiTooManyRequestsResponse,
  ApiUnauthorizedResponse,
} from '@nestjs/swagger';
import type { Request } from 'express';
import { Public } from '../../common/http/access-marks.js';
import { Ctx } from '../../common/http/context.decorator.js';
import type { RequestContext } from '../../common/request-context.js';
import { TokenRequestKeys } from '../clients/token-request-keys.js';
import { CodeExchangeService } from '../grants/authorization-code/code-exchange.service.js';
import { RefreshClients } from '../grants/refresh/refresh-clients.js';
import { RefreshTokensService } from '../grants/refresh/refresh-tokens.service.js';
import { TokenIssuer } from '../grants/issuance/token-issuer.js';
import { TokenResponse } from '../protocol/token-response.view.js';
import { ExchangeRequest, RefreshRequest } from '../protocol/token.dto.js';
import { DPOP_HEADER, PROOF_REFUSALS } from './clients/dpop-header.js';
import { presentedApp } from './clients/presented-client.js';

@ApiTags('Tokens and discovery')
@Controller('token')
export class TokenController {
  constructor(
    private readonly refreshTokens: RefreshTokensService,
    private readonly codes: CodeExchangeService,
    private readonly issuer: TokenIssuer,
    private readonly clients: RefreshClients,
    private readonly keys: TokenRequestKeys,
  ) {}

  @Post('refresh')
  @Public()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Refresh an access token',
    description:
      'Exchanges a refresh token for a new token pair. A refresh token works once. Using it again ends every sign-in of the user at the app, or with a `device_id` those of that device, unless it is within `config.refresh_grace_seconds`.',
  })
  @ApiHeader(DPOP_HEADER)
  @ApiOkResponse({ type: TokenResponse })
  @ApiBadRequestResponse({ description: PROOF_REFUSALS })
  @ApiUnauthorizedResponse({
    description: '`Invalid or expired refresh token`, `Token does not belong to this app`, `invalid_client`',
  })
  @ApiForbiddenResponse({
    description:
      'Value of `detail`: `Account suspended`; `{error: email_not_verified}` if the app requires a verified e-mail address',
  })
  @ApiTooManyRequestsResponse({ description: '`too_many_requests`: limit `refresh_failures`' })
  async refresh(
    @Ctx() ctx: RequestContext,
    @Body() input: RefreshRequest,
    @Req() request: Request,
  ): Promise<TokenResponse> {
    const client = await this.keys.of(request, presentedApp(input, request.headers.authorization));
    const grant = await this.clients.run(ctx, client, () =>
      this.refreshTokens.refresh(ctx, {
        refreshToken: input.refresh_token,
        appId: input.app_id.toLowerCase(),
        deviceId: input.device_id ?? null,
        jkt: client.key?.jkt ?? null,
      }),
    );
    return this.issuer.respond(grant, 'refresh');
  }

  @Post('exchange')
  @Public()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Exchange a one-time code',
    description: 'The body is a form or JSON. The first attempt uses up the code, even if it fails.',
  })
  @ApiHeader(DPOP_HEADER)
  @ApiOkResponse({ type: TokenResponse })
  @ApiBadRequestResponse({ description: `\`Invalid or expired code\`, \`Invalid code_verifier\`; ${PROOF_REFUSALS}` })
  @ApiTooManyRequestsResponse({ description: '`too_many_requests`: limit `code_failures`' })
  async exchange(
    @Ctx() ctx: RequestContext,
    @Body() input: ExchangeRequest,
    @Req() request: Request,
  ): Promise<TokenResponse> {
    const client = await this.keys.of(request, presentedApp(input, request.headers.authorization));
    const grant = await this.codes.exchange(ctx, client, input);
    return this.issuer.respond(grant, 'code');
  }
}
