import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../../common/request-context.js';
import type { ClientCredentials } from '../clients/client-authenticator.js';
import type { ExchangedTokenResponse, TokenResponse } from '../protocol/token-response.view.js';
import type { TokenRequest } from '../protocol/token.dto.js';
import { DeviceCodeExchange } from './device/device-code-exchange.service.js';
import { required } from '../protocol/required-field.js';
import { TokenExchangeService } from './token-exchange/token-exchange.service.js';
import { TokenIssuer } from './issuance/token-issuer.js';

/** Grants that other standards have added (RFC 6749 section 4.5). */
@Injectable()
export class ExtensionGrants {
  constructor(
    private readonly devices: DeviceCodeExchange,
    private readonly exchanges: TokenExchangeService,
    private readonly issuer: TokenIssuer,
  ) {}

  async redeemDeviceCode(
    ctx: RequestContext,
    request: TokenRequest,
    client: ClientCredentials,
  ): Promise<TokenResponse> {
    const deviceCode = required(request.device_code, 'device_code');
    const poll = { deviceCode, resource: request.resource || null };
    return this.issuer.respond(await this.devices.exchange(ctx, client, poll), 'device');
  }

  exchangeToken(
    ctx: RequestContext,
    request: TokenRequest,
    client: ClientCredentials,
  ): Promise<ExchangedTokenResponse> {
    return this.exchanges.exchange(ctx, client, request);
  }
}
