import { Injectable } from '@nestjs/common';
import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import type { RequestContext } from '../../../common/request-context.js';
import { isOpaqueToken } from '../../../crypto/opaque-token.js';
import { ClientAuthenticator, type ClientCredentials } from '../../clients/client-authenticator.js';
import { ServiceTokens } from '../../clients/service-tokens.js';
import { asServer, TokenExchangeRecords } from '../../grants/token-exchange/token-exchange-records.js';
import type { AccessClaims, ServiceClaims } from '../../jwt/token-use.js';
import { InvalidClient, TokenOfAnotherClient, UnsupportedTokenType } from '../../protocol/tokens.errors.js';
import { isForResource } from '../../jwt/resource-token.rules.js';
import { TokenVerifier } from '../../jwt/token-verifier.js';
import { PresentedSignIns } from './presented-sign-ins.js';
import { appIdOf } from '../../jwt/token-app.rules.js';

/**
 * RFC 7009: revoking a refresh token or an access token ends the sign-in that it came from, with all of its tokens. An
 * exchanged token ends only itself and what it was exchanged for, because the sign-in belongs to another app. A service
 * token ends only itself.
 */
@Injectable()
export class RevocationService {
  constructor(
    private readonly authenticator: ClientAuthenticator,
    private readonly verifier: TokenVerifier,
    private readonly signIns: PresentedSignIns,
    private readonly exchanges: TokenExchangeRecords,
    private readonly serviceTokens: ServiceTokens,
  ) {}

  /**
   * An unknown token is no error (RFC 7009 section 2.2).
   * @param credentials of the client; an empty id if it sent none
   * @throws InvalidClient, TokenOfAnotherClient, UnsupportedTokenType
   */
  async revoke(ctx: RequestContext, token: string, credentials: ClientCredentials): Promise<void> {
    const isNamed = credentials.clientId !== '';
    const client = isNamed ? await this.authenticator.identify(ctx, credentials) : null;
    if (isNamed && !client) throw new InvalidClient();
    const isProven = client !== null && credentials.proof !== null;
    const claims = await this.readIssued(token, isProven);
    if (claims?.token_use === 'service') {
      await this.checkOwner(ctx, claims.client_id, client);
      return this.serviceTokens.revoke(isProven ? asServer(ctx, client) : ctx, claims);
    }
    if (claims?.act) return this.revokeExchanged(ctx, claims, client);
    const family = await this.signIns.find(token, claims);
    if (!family) return;
    await this.checkOwner(ctx, family.appId, client);
    await this.signIns.end(ctx, family, isShownByOwner(token, isProven) ? 'owner' : 'signed_out');
  }

  /**
   * The token must belong to the client (RFC 7009 section 2.1). Without a client id, holding the token is enough,
   * unless its app is confidential.
   */
  private async checkOwner(ctx: RequestContext, appId: string, client: RegisteredClient | null): Promise<void> {
    if (!client) await this.authenticator.identify(ctx, { clientId: appId, proof: null });
    else if (client.app.id !== appId) throw new TokenOfAnotherClient();
  }

  /**
   * An API that received a token for one of its resources is not the client, and must not end the user's sign-in with
   * it.
   */
  private async readIssued(token: string, isProven: boolean): Promise<AccessClaims | ServiceClaims | null> {
    if (isOpaqueToken(token)) return null;
    const verification = await this.verifier.verifyIssued(token);
    if ('fault' in verification) return null;
    const { claims } = verification;
    if (claims.token_use !== 'access' && claims.token_use !== 'service') return null;
    if (isForResource(claims) && !isProven) throw new UnsupportedTokenType();
    return claims;
  }

  private async revokeExchanged(
    ctx: RequestContext,
    claims: AccessClaims,
    client: RegisteredClient | null,
  ): Promise<void> {
    if (client?.app.id !== appIdOf(claims)) throw new TokenOfAnotherClient();
    await this.exchanges.revoke(ctx, client, claims);
  }
}

/**
 * Whether the owner has revoked the sign-in: a refresh token of it that is used later was stolen, and ends the user's
 * other sign-ins. An access token passes through more systems, so without authentication it does not prove that its
 * owner sent it.
 */
function isShownByOwner(token: string, isProven: boolean): boolean {
  return isOpaqueToken(token) || isProven;
}
