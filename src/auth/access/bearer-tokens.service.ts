import { Injectable } from '@nestjs/common';
import type { ServiceActor } from '../../common/actor.js';
import { NotAuthenticated } from '../../common/http/http.refusals.js';
import { ServiceTokens } from '../../tokens/clients/service-tokens.js';
import type { ServiceClaims } from '../../tokens/jwt/token-use.js';
import type { VerifiedClaims } from '../../tokens/jwt/token-verifier.js';
import type { ProvenRequest } from '../../tokens/dpop/dpop-proofs.service.js';
import { PresentedTokens } from '../../tokens/dpop/presented-tokens.js';
import { AccessTokenUsers, type UserBearer } from './access-token-users.js';

/** The caller of a request by its `Authorization` header, with the claims of the token. */
export type Bearer = UserBearer | { readonly actor: ServiceActor; readonly claims: ServiceClaims };

/**
 * Identifies the party of a bearer token with its current state in the database: authority is never taken from the
 * token, and counts only for the token's audience.
 */
@Injectable()
export class BearerTokens {
  constructor(
    private readonly presented: PresentedTokens,
    private readonly users: AccessTokenUsers,
    private readonly serviceTokens: ServiceTokens,
  ) {}

  /** @throws NotAuthenticated for an invalid token, DpopTokenRefused for an invalid DPoP proof */
  async identify(request: ProvenRequest): Promise<Bearer> {
    const claims = await this.presented.verify(request);
    if (typeof claims === 'string') throw new NotAuthenticated();
    return this.find(claims);
  }

  /**
   * As {@link identify}, for a verified token whose proof is used up: called again after a wait.
   * @throws NotAuthenticated
   */
  async find(claims: VerifiedClaims): Promise<Bearer> {
    let bearer: Bearer | null = null;
    if (claims.token_use === 'access') bearer = await this.users.find(claims);
    if (claims.token_use === 'service') bearer = await this.findService(claims);
    if (!bearer) throw new NotAuthenticated();
    return bearer;
  }

  /**
   * Scopes that the app has lost stop working at once, and so do all tokens of an app that has become a public client.
   */
  private async findService(claims: ServiceClaims): Promise<Bearer | null> {
    const live = await this.serviceTokens.findLive(claims);
    if (!live) return null;
    const scopes = claims.scope.split(' ').filter((scope) => live.serviceScopes.includes(scope));
    const issuedAt = new Date(claims.iat * 1000);
    const actor = {
      type: 'service',
      appId: claims.sub,
      tenantId: live.tenantId,
      scopes: new Set(scopes),
      issuedAt,
    } as const;
    return { actor, claims };
  }
}
