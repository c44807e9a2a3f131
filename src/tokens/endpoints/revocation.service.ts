import { Injectable } from '@nestjs/common';
import type { RegisteredClient } from '../../apps/app-directory.js';
import type { RequestContext } from '../../common/request-context.js';
import { isUuid } from '../../common/validation/fields.js';
import { hashOpaqueToken } from '../../crypto/opaque-token.js';
import { ClientAuthenticator, type ClientCredentials } from '../clients/client-authenticator.js';
import { type KnownFamily, RefreshFamiliesRepository } from '../grants/refresh-families.repository.js';
import { RefreshRevocation } from '../grants/refresh-revocation.js';
import { InvalidClient, TokenOfAnotherClient, UnsupportedTokenType } from '../protocol/tokens.errors.js';
import { isForResource } from '../jwt/resource-token.rules.js';
import { TokenVerifier } from '../jwt/token-verifier.js';

/** RFC 7009: a refresh token or an access token ends the sign-in that it came from, with all of its tokens. */
@Injectable()
export class RevocationService {
  constructor(
    private readonly clients: ClientAuthenticator,
    private readonly verifier: TokenVerifier,
    private readonly families: RefreshFamiliesRepository,
    private readonly revocation: RefreshRevocation,
  ) {}

  /**
   * An unknown token is not an error (section 2.2).
   * @param credentials of the client; an empty id if it sent none
   * @throws InvalidClient, TokenOfAnotherClient, UnsupportedTokenType
   */
  async revoke(ctx: RequestContext, token: string, credentials: ClientCredentials): Promise<void> {
    const isNamed = credentials.clientId !== '';
    const client = isNamed ? await this.clients.identify(ctx, credentials) : null;
    if (isNamed && !client) throw new InvalidClient();
    const family = await this.findFamily(token, credentials);
    if (!family) return;
    await this.checkOwner(ctx, family, client);
    await this.revocation.revoke(ctx, family, isShownByOwner(token, credentials) ? 'owner' : 'signed_out');
  }

  /** The token is that client's (section 2.1). Without a name it is enough to hold it, unless its app is confidential. */
  private async checkOwner(
    ctx: RequestContext,
    { appId }: KnownFamily,
    client: RegisteredClient | null,
  ): Promise<void> {
    if (!client) await this.clients.identify(ctx, { clientId: appId, proof: null });
    else if (client.app.id !== appId) throw new TokenOfAnotherClient();
  }

  /** An API that was handed a token of one of its resources is not the client: it must not end the user's sign-in with it. */
  private async findFamily(token: string, { proof }: ClientCredentials): Promise<KnownFamily | null> {
    if (!token.includes('.')) return this.families.findByToken(hashOpaqueToken(token));
    const verification = await this.verifier.verifyIssued(token);
    if ('fault' in verification || verification.claims.token_use !== 'access') return null;
    if (isForResource(verification.claims) && !proof) throw new UnsupportedTokenType();
    const { grant_id: id } = verification.claims;
    return isUuid(id) ? this.families.find(id) : null;
  }
}

/**
 * A refresh token that comes back after its owner gave it back is a thief's, and ends the user's other sign-ins. An access token
 * passes through more hands, and is no proof of that.
 */
function isShownByOwner(token: string, { proof }: ClientCredentials): boolean {
  return !token.includes('.') || proof !== null;
}
