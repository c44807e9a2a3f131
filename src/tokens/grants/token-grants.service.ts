import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../../common/request-context.js';
import { isUuid } from '../../common/validation/fields.js';
import { InvalidInput } from '../../common/validation/invalid-input.js';
import { Refusal } from '../../common/refusal.js';
import { ClientAuthenticator, type ClientCredentials } from '../clients/client-authenticator.js';
import type { TokenRequest } from '../protocol/token.dto.js';
import type { ServiceTokenResponse, TokenResponse } from '../protocol/token-response.view.js';
import { hasWholeScope } from '../protocol/requested-claims.rules.js';
import { narrowedScope } from '../protocol/scopes.rules.js';
import { InvalidClient, InvalidGrant, UnsupportedGrantType } from '../protocol/tokens.errors.js';
import { TokenIssuer } from './token-issuer.js';
import { ClientCredentialsService } from './client-credentials.service.js';
import { CodeExchangeService } from './code-exchange.service.js';
import { RefreshTokensService } from './refresh-tokens.service.js';

/** Those that are served, in the order in which discovery names them. */
export const GRANT_TYPES = ['authorization_code', 'refresh_token', 'client_credentials'] as const;

/** POST /auth/token: one handler per grant type (RFC 6749 section 4). */
@Injectable()
export class TokenGrantsService {
  constructor(
    private readonly clientCredentials: ClientCredentialsService,
    private readonly exchanges: CodeExchangeService,
    private readonly refreshTokens: RefreshTokensService,
    private readonly clients: ClientAuthenticator,
    private readonly issuer: TokenIssuer,
  ) {}

  /** @param client as it named itself, by HTTP Basic or in the body; nothing of it has been checked */
  async grant(
    ctx: RequestContext,
    request: TokenRequest,
    client: ClientCredentials,
  ): Promise<TokenResponse | ServiceTokenResponse> {
    const type = GRANT_TYPES.find((each) => each === request.grant_type);
    if (!type) throw new UnsupportedGrantType();
    switch (type) {
      case 'client_credentials':
        return this.clientCredentials.issue(ctx, client, request.scope || null);
      case 'authorization_code':
        return this.redeemCode(ctx, request, client);
      case 'refresh_token':
        return this.refresh(ctx, request, client);
    }
  }

  /** A confidential client authenticates; a public one proves itself by PKCE. */
  private async redeemCode(
    ctx: RequestContext,
    request: TokenRequest,
    client: ClientCredentials,
  ): Promise<TokenResponse> {
    const code = required(request.code, 'code');
    if (!isUuid(client.clientId)) throw new InvalidClient();
    if (client.proof === null && request.code_verifier === undefined) throw new InvalidClient();
    const grant = await this.exchanges.exchange(ctx, client, {
      code,
      code_verifier: request.code_verifier,
      // With PKCE the code cannot be used by anyone else, and OAuth 2.1 asks for no more.
      redirect_uri: request.code_verifier ? request.redirect_uri : required(request.redirect_uri, 'redirect_uri'),
    });
    return this.issuer.respond(grant, 'code');
  }

  private async refresh(ctx: RequestContext, request: TokenRequest, client: ClientCredentials): Promise<TokenResponse> {
    const refreshToken = required(request.refresh_token, 'refresh_token');
    if (!isUuid(client.clientId)) throw new InvalidClient();
    await this.clients.identify(ctx, client);
    try {
      const appId = client.clientId.toLowerCase();
      const grant = await this.refreshTokens.refresh(ctx, {
        refreshToken,
        appId,
        deviceId: null,
        jkt: client.key?.jkt,
      });
      const scope = narrowedScope(grant.scope, request.scope || null);
      const claims = hasWholeScope(grant.scope, scope) ? grant.claims : null;
      return await this.issuer.respond({ ...grant, scope, claims }, 'refresh');
    } catch (error) {
      // RFC 6749 section 5.2: a bad grant is 400 here, where /token/refresh says 401 or 403.
      if (error instanceof Refusal && error.extras.oauthError === 'invalid_grant')
        throw new InvalidGrant(error.message);
      throw error;
    }
  }
}

function required(value: string | undefined, name: string): string {
  if (!value) throw InvalidInput.field(name, 'Field required', 'missing');
  return value;
}
