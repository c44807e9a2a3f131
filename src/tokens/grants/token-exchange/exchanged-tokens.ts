import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { EnrollmentService } from '../../../enrollment/memberships/enrollment.service.js';
import { UsersService } from '../../../users/users.service.js';
import type { AccessClaims } from '../../jwt/token-use.js';
import { TokenSigner } from '../../jwt/token-signer.js';
import { userClaims } from '../../protocol/user-claims.rules.js';
import type { ExchangedTokenResponse } from '../../protocol/token-response.view.js';
import { TokenMetrics } from '../../statistics/token-metrics.js';
import type { SubjectToken } from './subject-tokens.js';
import { ACCESS_TOKEN_TYPE } from './token-exchange.rules.js';

/** The content of an exchanged token: never more than its subject token allows, nor for longer. */
export interface ExchangedAccess {
  /** `jti` of the token. */
  readonly id: string;
  readonly clientId: string;
  readonly resource: string;
  readonly scope: string;
  /** Lifetime of tokens for this resource. */
  readonly lifetimeSeconds: number;
  /** Thumbprint of the key that it is bound to; null: none. */
  readonly jkt: string | null;
}

/** Signs exchanged tokens. Called after the commit, so that signing blocks no connection. */
@Injectable()
export class ExchangedTokens {
  constructor(
    private readonly signer: TokenSigner,
    private readonly users: UsersService,
    private readonly enrollment: EnrollmentService,
    private readonly metrics: TokenMetrics,
    private readonly clock: Clock,
  ) {}

  async sign(subject: SubjectToken, access: ExchangedAccess): Promise<ExchangedTokenResponse> {
    const { sub, tenant_id, auth_time, signed_in_at_ms, grant_id, amr, acr, act, exp } = subject.claims;
    const { id, clientId, resource, scope, jkt } = access;
    const accessToken = await this.signer.signExchanged(
      {
        ...{ sub, aud: resource, tenant_id, client_id: clientId, auth_time, signed_in_at_ms, grant_id, amr, scope },
        ...(await this.told(subject, scope)),
        ...(acr ? { acr } : {}),
        act: { sub: clientId, ...(act ? { act } : {}) },
        ...(jkt === null ? {} : { cnf: { jkt } }),
        jti: id,
      },
      access.lifetimeSeconds,
      exp,
    );
    this.metrics.issued('exchange');
    return {
      access_token: accessToken,
      issued_token_type: ACCESS_TOKEN_TYPE,
      token_type: jkt === null ? 'Bearer' : 'DPoP',
      expires_in: Math.min(access.lifetimeSeconds, exp - this.clock.seconds()),
      scope,
    };
  }

  /**
   * The user's e-mail address and roles, only with the corresponding scopes, and with the current values at the app of
   * the sign-in.
   */
  private async told(
    { family: { userId, appId } }: SubjectToken,
    scope: string,
  ): Promise<Pick<AccessClaims, 'email' | 'email_verified' | 'roles'>> {
    const scopes = scope.split(' ');
    if (!scopes.includes('email') && !scopes.includes('roles')) return {};
    const [user, enrollment] = await Promise.all([this.users.find(userId), this.enrollment.find(userId, appId)]);
    if (!user || !enrollment) return {};
    const { email, email_verified, roles } = userClaims({ ...user, roles: enrollment.roles }, scope);
    return { ...(email === undefined ? {} : { email, email_verified }), ...(roles ? { roles } : {}) };
  }
}
