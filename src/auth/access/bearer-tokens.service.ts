import { Injectable } from '@nestjs/common';
import { ClientSecrets } from '../../apps/client-secrets.js';
import type { ServiceActor } from '../../common/actor.js';
import { NotAuthenticated } from '../../common/http/http.refusals.js';
import type { ServiceClaims } from '../../tokens/jwt/token-use.js';
import { TokenVerifier } from '../../tokens/jwt/token-verifier.js';
import { AccessTokenUsers, type UserBearer } from './access-token-users.js';

/** The caller of an `Authorization` header, with the claims of the token. */
export type Bearer = UserBearer | { readonly actor: ServiceActor; readonly claims: ServiceClaims };

/**
 * From a bearer token to the party behind it, as the database knows it now: authority is never taken from the token,
 * and counts only for the audience that the token was made for.
 */
@Injectable()
export class BearerTokens {
  constructor(
    private readonly verifier: TokenVerifier,
    private readonly users: AccessTokenUsers,
    private readonly clients: ClientSecrets,
  ) {}

  /** @throws NotAuthenticated whatever is wrong with the token */
  async identify(authorization: string | undefined): Promise<Bearer> {
    const token = /^bearer +([^\s]+)$/i.exec(authorization ?? '')?.[1];
    const verification = token ? await this.verifier.verify(token) : null;
    if (!verification || 'fault' in verification) throw new NotAuthenticated();
    const { claims } = verification;
    let bearer: Bearer | null = null;
    if (claims.token_use === 'access') bearer = await this.users.find(claims);
    if (claims.token_use === 'service') bearer = await this.findService(claims);
    if (!bearer) throw new NotAuthenticated();
    return bearer;
  }

  /** Scopes that the app has lost since stop working at once. */
  private async findService(claims: ServiceClaims): Promise<Bearer | null> {
    const live = await this.clients.find(claims.sub);
    if (!live?.isOpen) return null;
    const scopes = claims.scope.split(' ').filter((scope) => live.serviceScopes.includes(scope));
    const actor = { type: 'service', appId: claims.sub, tenantId: live.tenantId, scopes: new Set(scopes) } as const;
    return { actor, claims };
  }
}
