import { Injectable } from '@nestjs/common';
import { EnrollmentService } from '../enrollment/enrollment.service.js';
import { EntryCache } from '../enrollment/entry-cache.js';
import { UsersService } from '../users/users.service.js';
import { personClaims } from './person-claims.rules.js';
import { signedInAtMs } from './signed-in-at.rules.js';
import { TokenVerifier } from './token-verifier.js';
import { InvalidToken, TokenMissing, UserTokenRequired } from './tokens.errors.js';

/** OpenID Connect Core section 5.3. */
@Injectable()
export class UserinfoService {
  constructor(
    private readonly verifier: TokenVerifier,
    private readonly entries: EntryCache,
    private readonly users: UsersService,
    private readonly enrollment: EnrollmentService,
  ) {}

  /**
   * The bearer as they are now; cut to the scopes where the sign-in asked for some.
   * @throws TokenMissing, InvalidToken also for somebody suspended or removed since, UserTokenRequired for a service token
   */
  async describe(authorization: string | undefined) {
    const token = /^bearer +([^\s]+)$/i.exec(authorization ?? '')?.[1];
    if (!token && !/^bearer\s+\S/i.test(authorization ?? '')) throw new TokenMissing();
    const verification = token ? await this.verifier.verify(token) : null;
    if (!verification || 'fault' in verification) throw new InvalidToken();
    const { claims } = verification;
    if (claims.token_use === 'service') throw new UserTokenRequired();
    if (claims.token_use !== 'access') throw new InvalidToken();
    if ((await this.entries.admission(claims.sub, claims.aud, signedInAtMs(claims))) !== 'admitted')
      throw new InvalidToken();
    const [user, enrollment] = await Promise.all([
      this.users.find(claims.sub),
      this.enrollment.find(claims.sub, claims.aud),
    ]);
    if (!user) throw new InvalidToken();
    return {
      sub: user.id,
      ...personClaims({ ...user, roles: enrollment?.roles ?? ['user'] }, claims.scope ?? null),
      app_id: claims.aud,
      tenant_id: claims.tenant_id,
    };
  }
}
