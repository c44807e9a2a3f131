import { Injectable } from '@nestjs/common';
import { EnrollmentService } from '../../enrollment/memberships/enrollment.service.js';
import { EntryCache } from '../../enrollment/memberships/entry-cache.js';
import { UsersService } from '../../users/users.service.js';
import type { ProvenRequest } from '../dpop/dpop-proofs.service.js';
import { PresentedTokens } from '../dpop/presented-tokens.js';
import { type KnownFamily, RefreshFamiliesRepository } from '../grants/token-family/refresh-families.repository.js';
import { userClaims } from '../protocol/user-claims.rules.js';
import { hasWholeScope, matchingClaims, type RequestedClaims } from '../protocol/requested-claims.rules.js';
import { hasScope } from '../protocol/scopes.rules.js';
import { signedInAtMs } from '../jwt/signed-in-at.rules.js';
import type { AccessClaims } from '../jwt/token-use.js';
import { InvalidToken, TokenMissing, UserTokenRequired } from '../protocol/tokens.errors.js';

/** OpenID Connect Core section 5.3. */
@Injectable()
export class UserinfoService {
  constructor(
    private readonly presented: PresentedTokens,
    private readonly entries: EntryCache,
    private readonly users: UsersService,
    private readonly enrollment: EnrollmentService,
    private readonly families: RefreshFamiliesRepository,
  ) {}

  /**
   * The current data of the token's user, limited to the scopes if the sign-in requested any.
   * @throws DpopTokenRefused, TokenMissing, InvalidToken also if the user was suspended or removed or the sign-in has
   * ended, UserTokenRequired for a service token
   */
  async describe(request: ProvenRequest) {
    const claims = await this.presented.verify(request);
    if (claims === 'missing') throw new TokenMissing();
    if (claims === 'invalid') throw new InvalidToken();
    if (claims.token_use === 'service') throw new UserTokenRequired();
    if (claims.token_use !== 'access') throw new InvalidToken();
    if ((await this.entries.admission(claims.sub, claims.aud, signedInAtMs(claims))) !== 'admitted')
      throw new InvalidToken();
    const [user, enrollment, family] = await Promise.all([
      this.users.find(claims.sub),
      this.enrollment.find(claims.sub, claims.aud),
      this.families.findAlive(claims),
    ]);
    if (!user || !family) throw new InvalidToken();
    const requested = requestedBy(family, claims);
    const subject = { ...user, roles: enrollment?.roles ?? ['user'] };
    return {
      sub: user.id,
      ...userClaims(subject, claims.scope ?? null, matchingClaims(requested, 'userinfo', subject)),
      app_id: claims.aud,
      tenant_id: claims.tenant_id,
    };
  }
}

/**
 * Read from the sign-in that the token came from, because the access token does not contain single requested claims.
 */
function requestedBy(family: KnownFamily, { scope }: AccessClaims): RequestedClaims | null {
  const asksForClaims = scope !== undefined && hasScope(scope, 'openid') && hasWholeScope(family.scope, scope);
  return asksForClaims ? family.claims : null;
}
