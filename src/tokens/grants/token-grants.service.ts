import { Injectable } from '@nestjs/common';
import { DEVICE_CODE_GRANT } from '../../apps/self-registered/client-document.rules.js';
import type { RequestContext } from '../../common/request-context.js';
import { isUuid } from '../../common/validation/fields.js';
import type { ClientCredentials } from '../clients/client-authenticator.js';
import type { TokenRequest } from '../protocol/token.dto.js';
import type { ExchangedTokenResponse, ServiceTokenResponse, TokenResponse } from '../protocol/token-response.view.js';
import { InvalidClient, UnsupportedGrantType } from '../protocol/tokens.errors.js';
import { TokenIssuer } from './issuance/token-issuer.js';
import { ClientCredentialsService } from './client-credentials/client-credentials.service.js';
import { CodeExchangeService } from './authorization-code/code-exchange.service.js';
import { ExtensionGrants } from './extension-grants.js';
import { OAuthRefresh } from './refresh/oauth-refresh.js';
import { required } from '../protocol/required-field.js';
import { TOKEN_EXCHANGE_GRANT } from './token-exchange/token-exchange.rules.js';

/** The supported grant types, in the order of the discovery document. */
export const GRANT_TYPES = [
  'authorization_code',
  'refresh_token',
  'client_credentials',
  DEVICE_CODE_GRANT,
  TOKEN_EXCHANGE_GRANT,
] as const;

/** POST /auth/token: one handler per grant type (RFC 6749 section 4). */
@Injectable()
export class TokenGrantsService {
  constructor(
    private readonly clientCredentials: ClientCredentialsService,
    private readonly codes: CodeExchangeService,
    private readonly refreshes: OAuthRefresh,
    private readonly extensions: ExtensionGrants,
    private readonly issuer: TokenIssuer,
  ) {}

  /** @param client from HTTP Basic or the body; not yet verified */
  async grant(
    ctx: RequestContext,
    request: TokenRequest,
    client: ClientCredentials,
  ): Promise<TokenResponse | ServiceTokenResponse | ExchangedTokenResponse> {
    const type = GRANT_TYPES.find((each) => each === request.grant_type);
    if (!type) throw new UnsupportedGrantType();
    switch (type) {
      case 'client_credentials':
        return this.clientCredentials.issue(ctx, client, {
          scope: request.scope || null,
          resource: request.resource || null,
        });
      case 'authorization_code':
        return this.redeemCode(ctx, request, client);
      case 'refresh_token':
        return this.refresh(ctx, request, client);
      case DEVICE_CODE_GRANT:
        return this.extensions.redeemDeviceCode(ctx, request, client);
      case TOKEN_EXCHANGE_GRANT:
        return this.extensions.exchangeToken(ctx, request, client);
    }
  }

  /** A confidential client authenticates; a public one uses PKCE. */
  private async redeemCode(
    ctx: RequestContext,
    request: TokenRequest,
    client: ClientCredentials,
  ): Promise<TokenResponse> {
    const code = required(request.code, 'code');
    if (!isUuid(client.clientId)) throw new InvalidClient();
    if (client.proof === null && request.code_verifier === undefined) throw new InvalidClient();
    const grant = await this.codes.exchange(ctx, client, {
      isOAuth: true,
      code,
      code_verifier: request.code_verifier,
      resource: request.resource || undefined,
      // With PKCE only the client that began the sign-in can use the code, and OAuth 2.1 requires nothing else.
      redirect_uri:
        request.code_verifier === undefined ? required(request.redirect_uri, 'redirect_uri') : request.redirect_uri,
    });
    return this.issuer.respond(grant, 'code');
  }

  private async refresh(ctx: RequestContext, request: TokenRequest, client: ClientCredentials): Promise<TokenResponse> {
    const refreshToken = required(request.refresh_token, 'refresh_token');
    const grant = await this.refreshes.refresh(ctx, client, refreshToken, {
      scope: request.scope || null,
      resource: request.resource || null,
    });
    return this.issuer.respond(grant, 'refresh');
  }
}
