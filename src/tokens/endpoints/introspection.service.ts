import { Injectable } from '@nestjs/common';
import { ClientSecrets } from '../../apps/client-secrets.js';
import { EntryCache } from '../../enrollment/entry-cache.js';
import type { AuthenticatedClient } from '../clients/client-authenticator.js';
import { RefreshFamiliesRepository } from '../grants/refresh-families.repository.js';
import { RefreshTokensService } from '../grants/refresh-tokens.service.js';
import { grantedScope } from '../protocol/scopes.rules.js';
import { signedInAtMs } from '../jwt/signed-in-at.rules.js';
import type { AccessClaims, ServiceClaims } from '../jwt/token-use.js';
import { TokenVerifier } from '../jwt/token-verifier.js';
import type { IntrospectionView } from './introspection.view.js';

const INACTIVE: IntrospectionView = { active: false };

/**
 * RFC 7662: what a token is good for at this moment, told only to the app that it was made for. Whatever is wrong with
 * it, and whichever app it belongs to, the answer is the same.
 */
@Injectable()
export class IntrospectionService {
  constructor(
    private readonly verifier: TokenVerifier,
    private readonly entries: EntryCache,
    private readonly clients: ClientSecrets,
    private readonly refreshTokens: RefreshTokensService,
    private readonly families: RefreshFamiliesRepository,
  ) {}

  /** Access, service and refresh tokens; the hint is not needed, their looks tell them apart. */
  async introspect({ app }: AuthenticatedClient, token: string): Promise<IntrospectionView> {
    const verification = await this.verifier.verify(token);
    if ('fault' in verification) return this.describeRefresh(app.id, token);
    const { claims } = verification;
    if (claims.aud !== app.id) return INACTIVE;
    switch (claims.token_use) {
      case 'access':
        return this.describeAccess(claims);
      case 'service':
        return this.describeService(claims);
      case 'id':
      case 'totp_session':
      case 'totp_setup':
        return INACTIVE;
    }
  }

  private async describeAccess(claims: AccessClaims): Promise<IntrospectionView> {
    // RFC 7662 section 2.2 asks whether the token has been revoked.
    if (!(await this.families.findAlive(claims))) return INACTIVE;
    if ((await this.entries.admission(claims.sub, claims.aud, signedInAtMs(claims))) !== 'admitted') return INACTIVE;
    const { sub, email, roles, scope, auth_time, acr } = claims;
    const optional = { ...(acr ? { acr } : {}), ...(scope ? { scope } : {}) };
    return { ...common(claims), sub, username: email, roles: [...roles], auth_time, ...optional };
  }

  /** Scopes that the app has lost since are left out, as they are at every endpoint. */
  private async describeService(claims: ServiceClaims): Promise<IntrospectionView> {
    const live = await this.clients.find(claims.sub);
    if (!live?.isOpen) return INACTIVE;
    const scopes = claims.scope.split(' ').filter((scope) => live.serviceScopes.includes(scope));
    return { ...common(claims), sub: claims.sub, scope: scopes.join(' ') };
  }

  private async describeRefresh(appId: string, token: string): Promise<IntrospectionView> {
    const alive = await this.refreshTokens.findAlive(token, appId);
    if (!alive) return INACTIVE;
    return {
      active: true,
      client_id: appId,
      sub: alive.userId,
      username: alive.email,
      iat: alive.issuedAt,
      exp: alive.expiresAt,
      ...(alive.jkt ? { cnf: { jkt: alive.jkt } } : {}),
      ...(alive.scope ? { scope: grantedScope(alive.scope) } : {}),
    };
  }
}

function common({ client_id, aud, iss, exp, iat, jti, tenant_id, cnf }: AccessClaims | ServiceClaims) {
  const bound = cnf ? { token_type: 'DPoP' as const, cnf } : { token_type: 'Bearer' as const };
  return { active: true, ...bound, client_id, aud, iss, exp, iat, jti, tenant_id };
}
