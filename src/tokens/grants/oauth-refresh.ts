import { Injectable } from '@nestjs/common';
import { Refusal } from '../../common/refusal.js';
import type { RequestContext } from '../../common/request-context.js';
import { isUuid } from '../../common/validation/fields.js';
import { ClientAuthenticator, type ClientCredentials } from '../clients/client-authenticator.js';
import { hasWholeScope } from '../protocol/requested-claims.rules.js';
import { narrowedScope } from '../protocol/scopes.rules.js';
import { InvalidClient, InvalidGrant } from '../protocol/tokens.errors.js';
import type { Grant } from './grant.js';
import { RefreshTokensService } from './refresh-tokens.service.js';

/** A refresh in OAuth's words (RFC 6749 section 6). */
@Injectable()
export class OAuthRefresh {
  constructor(
    private readonly refreshTokens: RefreshTokensService,
    private readonly clients: ClientAuthenticator,
  ) {}

  /** @param scope fewer than the sign-in's; null: all of them. @throws InvalidClient, InvalidGrant */
  async refresh(
    ctx: RequestContext,
    client: ClientCredentials,
    refreshToken: string,
    asked: string | null,
  ): Promise<Grant> {
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
      const scope = narrowedScope(grant.scope, asked);
      const claims = hasWholeScope(grant.scope, scope) ? grant.claims : null;
      return { ...grant, scope, claims };
    } catch (error) {
      // RFC 6749 section 5.2: a bad grant is 400 here, where /token/refresh says 401 or 403.
      if (error instanceof Refusal && error.extras.oauthError === 'invalid_grant')
        throw new InvalidGrant(error.message);
      throw error;
    }
  }
}
