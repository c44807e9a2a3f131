import { Injectable } from '@nestjs/common';
import { asksConsent } from '../../../apps/settings/app-config.rules.js';
import { AppDirectory } from '../../../apps/directory/app-directory.js';
import { ownClientId } from '../../../apps/app/client-id.rules.js';
import type { ProtectedResource } from '../../../tenants/protected-resource.rules.js';
import { acrOf } from '../../protocol/acr.rules.js';
import { publishedAmr } from '../../protocol/amr.rules.js';
import { type UserClaims, userClaims } from '../../protocol/user-claims.rules.js';
import { matchingClaims } from '../../protocol/requested-claims.rules.js';
import { findResource } from '../../protocol/resource.rules.js';
import { grantedScope, hasScope } from '../../protocol/scopes.rules.js';
import { TokenMetrics } from '../../statistics/token-metrics.js';
import { InvalidTarget } from '../../protocol/tokens.errors.js';
import type { TokenResponse } from '../../protocol/token-response.view.js';
import { TokenSigner } from '../../jwt/token-signer.js';
import type { AccessClaims } from '../../jwt/token-use.js';
import type { Grant } from './grant.js';

/** Issues the tokens of a grant. Called after the commit, so that signing blocks no connection. */
@Injectable()
export class TokenIssuer {
  constructor(
    private readonly signer: TokenSigner,
    private readonly metrics: TokenMetrics,
    private readonly directory: AppDirectory,
  ) {}

  async respond(grant: Grant, kind: 'sign_in' | 'code' | 'refresh' | 'device'): Promise<TokenResponse> {
    const { user, app } = grant;
    const resource = grant.resource === null ? null : await this.resourceOf(app.id, grant.resource);
    // For sign-ins from before unknown scopes were left out.
    const scope = grantedScope(grant.scope, resource?.scopes);
    const lifetime = (resource?.token_lifetime_minutes ?? app.tokenLifetimeMinutes) * 60;
    const amr = publishedAmr(grant.amr);
    const acr = acrOf(amr, grant.claims?.acr);
    const shown = { amr, ...(acr === null ? {} : { acr }) };
    const clientId = await this.clientIdOf(app.id);
    const authTime = Math.floor(grant.authTime.getTime() / 1000);
    const accessToken = await this.signer.signAccess(
      {
        sub: user.id,
        ...(await this.told(grant)),
        aud: resource?.identifier ?? app.id,
        tenant_id: app.tenantId,
        client_id: clientId,
        ...(clientId === app.id ? {} : { app_id: app.id }),
        auth_time: authTime,
        signed_in_at_ms: grant.signedInAt.getTime(),
        grant_id: grant.familyId,
        ...shown,
        ...(scope === null ? {} : { scope }),
        ...(grant.jkt ? { cnf: { jkt: grant.jkt } } : {}),
      },
      lifetime,
    );
    this.metrics.issued(kind);
    const idToken =
      scope !== null && hasScope(scope, 'openid')
        ? await this.signIdToken(grant, scope, { ...shown, aud: clientId, auth_time: authTime }, accessToken)
        : undefined;
    return {
      access_token: accessToken,
      refresh_token: grant.refreshToken,
      token_type: grant.jkt ? 'DPoP' : 'Bearer',
      expires_in: lifetime,
      ...(idToken ? { id_token: idToken } : {}),
      ...(scope === null ? {} : { scope }),
    };
  }

  /** @param shown the client, and when and how the user signed in */
  private async signIdToken(
    grant: Grant,
    scope: string,
    shown: Pick<AccessClaims, 'aud' | 'amr' | 'acr' | 'auth_time'>,
    accessToken: string,
  ): Promise<string> {
    const { user, app } = grant;
    const claims = {
      sub: user.id,
      ...this.userClaims(grant, scope),
      ...shown,
      ...(grant.nonce === null ? {} : { nonce: grant.nonce }),
      ...(grant.sid === null ? {} : { sid: grant.sid }),
    };
    return this.signer.signId(claims, accessToken, app.tokenLifetimeMinutes * 60);
  }

  /** As the client itself knows it (RFC 9068 section 2.2, OpenID Connect Core section 2). */
  private async clientIdOf(appId: string): Promise<string> {
    const app = (await this.directory.findOfAnyOrigin(appId))?.app;
    return app ? ownClientId(app) : appId;
  }

  /** User data in the access token: for an app that needs consent, only what the user has allowed. */
  private async told({
    user,
    roles,
    app,
    scope,
  }: Grant): Promise<Pick<AccessClaims, 'email' | 'email_verified' | 'roles'>> {
    const everything = { email: user.email, email_verified: user.emailVerified, roles };
    // An app that needs consent always has scopes.
    const client = scope === null ? null : await this.directory.findOfAnyOrigin(app.id);
    if (scope === null || !client || !asksConsent(client.app)) return everything;
    const { email, email_verified, roles: told } = userClaims({ ...user, roles }, scope);
    return { ...(email === undefined ? {} : { email, email_verified }), ...(told ? { roles: told } : {}) };
  }

  /** Current settings of the resource. @throws InvalidTarget if the tenant or the app no longer has it */
  private async resourceOf(appId: string, identifier: string): Promise<ProtectedResource> {
    const client = await this.directory.findOfAnyOrigin(appId);
    const resource = client && findResource(client, identifier);
    if (!resource) throw new InvalidTarget();
    return resource;
  }

  private userClaims({ user, roles, claims }: Grant, scope: string): UserClaims {
    const subject = { ...user, roles };
    return userClaims(subject, scope, matchingClaims(claims, 'id_token', subject));
  }
}
