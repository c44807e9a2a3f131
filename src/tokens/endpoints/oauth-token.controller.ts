import { Body, Controller, HttpCode, Post, Req } from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiConsumes,
  ApiExtraModels,
  ApiHeader,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  ApiTooManyRequestsResponse,
  ApiUnauthorizedResponse,
  getSchemaPath,
} from '@nestjs/swagger';
import type { Request } from 'express';
import { DEVICE_CODE_GRANT } from '../../apps/self-registered/client-document.rules.js';
import { Public } from '../../common/http/access-marks.js';
import { Ctx } from '../../common/http/context.decorator.js';
import type { RequestContext } from '../../common/request-context.js';
import { TokenRequestKeys } from '../clients/token-request-keys.js';
import { TokenGrantsService } from '../grants/token-grants.service.js';
import { ExchangedTokenResponse, ServiceTokenResponse, TokenResponse } from '../protocol/token-response.view.js';
import { TokenRequest } from '../protocol/token.dto.js';
import { DPOP_HEADER } from './clients/dpop-header.js';
import { NamedClients, type PresentedGrant } from './clients/named-clients.js';
import { presentedClient } from './clients/presented-client.js';

const RESPONSES = [TokenResponse, ServiceTokenResponse, ExchangedTokenResponse];

@ApiTags('Tokens and discovery')
@Controller('auth/token')
export class OAuthTokenController {
  constructor(
    private readonly grants: TokenGrantsService,
    private readonly keys: TokenRequestKeys,
    private readonly namedClients: NamedClients,
  ) {}

  @Post()
  @Public()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Get tokens (OAuth 2.0 token endpoint)',
    description:
      'Supports the grants client_credentials, authorization_code, refresh_token, device_code (RFC 8628) and token-exchange (RFC 8693). The body is a form or JSON.',
  })
  @ApiConsumes('application/x-www-form-urlencoded', 'application/json')
  @ApiExtraModels(...RESPONSES)
  @ApiOkResponse({ schema: { anyOf: RESPONSES.map((type) => ({ $ref: getSchemaPath(type) })) } })
  @ApiHeader(DPOP_HEADER)
  @ApiBadRequestResponse({
    description:
      '`unsupported_grant_type`, `invalid_scope: <scope>`, `invalid_target`, `invalid_grant`, `invalid_dpop_proof`, `use_dpop_nonce`; for devices `authorization_pending`, `slow_down`, `access_denied`, `expired_token` and `unauthorized_client`; for token exchange `invalid_request` and `unauthorized_client`',
  })
  @ApiUnauthorizedResponse({ description: '`invalid_client`' })
  @ApiTooManyRequestsResponse({ description: '`too_many_requests`' })
  async token(
    @Ctx() ctx: RequestContext,
    @Body() input: TokenRequest,
    @Req() request: Request,
  ): Promise<TokenResponse | ServiceTokenResponse | ExchangedTokenResponse> {
    const shown = presentedClient(input, request.headers.authorization);
    const clientId = await this.namedClients.find(shown.clientId, input.resource || null, grantOf(input));
    const client = { ...shown, clientId };
    return this.grants.grant(ctx, input, await this.keys.of(request, client));
  }
}

/** The field of another grant is an unknown parameter (RFC 6749 section 3.2). */
function grantOf({ grant_type, code, refresh_token, device_code }: TokenRequest): PresentedGrant {
  if (grant_type === 'authorization_code') return { code };
  if (grant_type === 'refresh_token') return { token: refresh_token };
  return grant_type === DEVICE_CODE_GRANT ? { deviceCode: device_code } : {};
}
