import { Injectable } from '@nestjs/common';
import { acrOf } from '../protocol/acr.rules.js';
import { publishedAmr } from '../protocol/amr.rules.js';
import { type PersonClaims, personClaims } from '../protocol/person-claims.rules.js';
import { matchingClaims } from '../protocol/requested-claims.rules.js';
import { grantedScope } from '../protocol/scopes.rules.js';
import { TokenMetrics } from '../statistics/token-metrics.js';
import type { TokenResponse } from '../protocol/token-response.view.js';
import { TokenSigner } from '../jwt/token-signer.js';
import type { Grant } from './grant.js';

/** Creates the tokens of a grant. Called after the commit, so that signing blocks no connection. */
@Injectable()
export class TokenIssuer {
  constructor(
    private readonly signer: TokenSigner,
    private readonly metrics: TokenMetrics,
  ) {}

  async respond(grant: Grant, kind: 'sign_in' | 'code' | 'refresh' | 'device'): Promise<TokenResponse> {
    const { user, app } = grant;
    // Sign-ins from before unknown scopes were left out are still refreshed.
    const scope = grantedScope(grant.scope);
    const lifetime = app.tokenLifetimeMinutes * 60;
    const amr = publishedAmr(grant.amr);
    const acr = acrOf(amr, grant.claims?.acr);
    const shown = { amr, ...(acr === null ? {} : { acr }) };
    const authTime = Math.floor(grant.authTime.getTime() / 1000);
    const accessToken = await this.signer.signAccess(
      {
        sub: user.id,
        email: user.email,
        email_verified: user.emailVerified,
        roles: grant.roles,
        aud: app.id,
        tenant_id: app.tenantId,
        client_id: app.id,
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
    const idToken = scope?.split(' ').includes('openid')
      ? await this.signer.signId(
          {
            sub: user.id,
            aud: app.id,
            ...this.personClaims(grant, scope),
            auth_time: authTime,
            ...shown,
            ...(grant.nonce === null ? {} : { nonce: grant.nonce }),
            ...(grant.sid === null ? {} : { sid: grant.sid }),
          },
          accessToken,
          lifetime,
        )
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

  private personClaims({ user, roles, claims }: Grant, scope: string): PersonClaims {
    const person = { ...user, roles };
    return personClaims(person, scope, matchingClaims(claims, 'id_token', person));
  }
}
