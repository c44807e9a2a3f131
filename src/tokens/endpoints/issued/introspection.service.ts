import { Inject, Injectable } from '@nestjs/common';
import { asksConsent } from '../../../apps/settings/app-config.rules.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import type { AuthenticatedClient } from '../../clients/client-authenticator.js';
import { ServiceTokens } from '../../clients/service-tokens.js';
import { LiveAccess } from '../../grants/token-exchange/live-access.js';
import { RefreshTokensService } from '../../grants/refresh/refresh-tokens.service.js';
import { servesResource } from '../../grants/token-exchange/token-exchange.rules.js';
import { grantedScope, hasScope } from '../../protocol/scopes.rules.js';
import type { AccessClaims, ServiceClaims } from '../../jwt/token-use.js';
import { findResource } from '../../protocol/resource.rules.js';
import { TokenVerifier, type VerifiedClaims } from '../../jwt/token-verifier.js';
import type { IntrospectionView } from './introspection.view.js';
import { appIdOf } from '../../jwt/token-app.rules.js';
import { ownClientId } from '../../../apps/app/client-id.rules.js';

const INACTIVE: IntrospectionView = { active: false };

/**
 * RFC 7662: the current state of a token. Only for the app that it was issued to and the server of its resource. All
 * tokens that are invalid, or belong to another app, get the same answer.
 */
@Injectable()
export class IntrospectionService {
  constructor(
    private readonly verifier: TokenVerifier,
    private readonly live: LiveAccess,
    private readonly serviceTokens: ServiceTokens,
    private readonly refreshTokens: RefreshTokensService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** For access, service and refresh tokens. The hint is not needed, because their formats differ. */
  async introspect(client: AuthenticatedClient, token: string): Promise<IntrospectionView> {
    const verification = await this.verifier.verifyIssued(token);
    if ('fault' in verification) return this.describeRefresh(client, token);
    const { claims } = verification;
    if (!isOfClient(claims)) return INACTIVE;
    const isIssuedTo = appIdOf(claims) === client.app.id;
    if (!isIssuedTo && !serves(client, claims)) return INACTIVE;
    return claims.token_use === 'access' ? this.describeAccess(claims) : this.describeService(claims);
  }

  private async describeAccess(claims: AccessClaims): Promise<IntrospectionView> {
    // RFC 7662 section 2.2 requires checking whether the token has been revoked.
    const live = await this.live.find(claims);
    if (!live) return INACTIVE;
    const { scope } = live;
    const { sub, email, roles, auth_time, acr, act } = claims;
    const userClaims = { ...(email === undefined ? {} : { username: email }), ...(roles ? { roles: [...roles] } : {}) };
    const optional = { ...(acr ? { acr } : {}), ...(scope === undefined ? {} : { scope }), ...(act ? { act } : {}) };
    return { ...common(claims), sub, ...userClaims, auth_time, ...optional };
  }

  /** Leaves out scopes that the app has lost, like every endpoint. */
  private async describeService(claims: ServiceClaims): Promise<IntrospectionView> {
    const held = await this.serviceTokens.findScopes(claims);
    if (!held) return INACTIVE;
    const scopes = claims.scope.split(' ').filter((scope) => held.includes(scope));
    return { ...common(claims), sub: claims.sub, scope: scopes.join(' ') };
  }

  private async describeRefresh(client: AuthenticatedClient, token: string): Promise<IntrospectionView> {
    const alive = await this.refreshTokens.findAlive(token, client.app.id);
    if (!alive) return INACTIVE;
    const resource = alive.resource === null ? null : findResource(client, alive.resource);
    if (alive.resource !== null && !resource) return INACTIVE;
    return {
      active: true,
      iss: this.settings.baseUrl,
      client_id: ownClientId(client.app),
      sub: alive.userId,
      ...(mayKnowEmail(client, alive.scope) ? { username: alive.email } : {}),
      iat: alive.issuedAt,
      exp: alive.expiresAt,
      ...(alive.jkt ? { cnf: { jkt: alive.jkt } } : {}),
      ...(alive.scope === null ? {} : { scope: grantedScope(alive.scope, resource?.scopes) }),
    };
  }
}

/** An app that needs consent gets the address only if its user has allowed it. */
function mayKnowEmail({ app }: AuthenticatedClient, scope: string | null): boolean {
  return !asksConsent(app) || hasScope(scope, 'email');
}

/**
 * Whether the client serves the resource of the token (RFC 7662 section 4). Identifiers of resources belong to one
 * tenant.
 */
function serves(client: AuthenticatedClient, { aud, tenant_id }: AccessClaims | ServiceClaims): boolean {
  return tenant_id === client.app.tenantId && servesResource(client, aud);
}

function isOfClient(claims: VerifiedClaims): claims is AccessClaims | ServiceClaims {
  return claims.token_use === 'access' || claims.token_use === 'service';
}

function common(claims: AccessClaims | ServiceClaims) {
  const { client_id, aud, iss, exp, iat, jti, tenant_id, cnf } = claims;
  const appId = appIdOf(claims);
  const bound = cnf ? { token_type: 'DPoP' as const, cnf } : { token_type: 'Bearer' as const };
  return {
    active: true,
    ...bound,
    client_id,
    ...(appId === client_id ? {} : { app_id: appId }),
    aud,
    iss,
    exp,
    iat,
    jti,
    tenant_id,
  };
}
