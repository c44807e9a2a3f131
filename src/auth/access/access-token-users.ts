import { Injectable } from '@nestjs/common';
import type { UserActor } from '../../common/actor.js';
import { EnrollmentService } from '../../enrollment/memberships/enrollment.service.js';
import { EntryCache } from '../../enrollment/memberships/entry-cache.js';
import {
  type KnownFamily,
  RefreshFamiliesRepository,
} from '../../tokens/grants/token-family/refresh-families.repository.js';
import { signedInAtMs } from '../../tokens/jwt/signed-in-at.rules.js';
import type { AccessClaims } from '../../tokens/jwt/token-use.js';
import type { Proof } from '../../users/proof.js';
import { holderOfTokens } from './access.rules.js';
import { CallerAuthorities } from './caller-authorities.service.js';

/** The user of an access token, with its claims. */
export interface UserBearer {
  readonly actor: UserActor;
  readonly claims: AccessClaims;
  readonly proof: Proof;
  /** The sign-in that the token came from. */
  readonly signIn: Pick<KnownFamily, 'id' | 'sid' | 'authTime'>;
  /** Whether the token was made for a Console app, or for an app that a tenant runs. */
  readonly forConsole: boolean;
}

/** From the claims of an access token to its user, with the authority that the database gives them now. */
@Injectable()
export class AccessTokenUsers {
  constructor(
    private readonly enrollment: EnrollmentService,
    private readonly entries: EntryCache,
    private readonly families: RefreshFamiliesRepository,
    private readonly authorities: CallerAuthorities,
  ) {}

  /**
   * Null if the account, its sign-in or its membership in the app no longer matches the token. The sign-in is read
   * after the account: if it ends in between, either the version in the proof has changed, or it is found ended.
   */
  async find(claims: AccessClaims): Promise<UserBearer | null> {
    const signedInAt = signedInAtMs(claims);
    const [current, isOutlived] = await Promise.all([
      this.authorities.find(claims.sub, claims.aud, claims.amr),
      this.entries.isOutlived(claims.sub, claims.aud, signedInAt),
    ]);
    if (!current?.user.isActive || isOutlived || signedInAt < current.user.tokensValidFrom) return null;
    const { user, client, authority } = current;
    const [{ admission }, family] = await Promise.all([
      this.enrollment.admit({ id: claims.sub, isActive: user.isActive }, client),
      this.families.findAlive(claims),
    ]);
    if (admission !== 'admitted' || !family) return null;
    const { sub: userId, aud: audience } = claims;
    const { email, credentialsVersion } = user;
    const place = client.tenant.isPlatform ? {} : { tenantId: client.tenant.id };
    const viaApp = holderOfTokens(client.app);
    const known = { authority, credentialsVersion, amr: claims.amr };
    const signIn = { id: family.id, atMs: signedInAt };
    const actor = { type: 'user', userId, email, audience, viaApp, ...place, ...known, signIn } as const;
    const proof = { userId, credentialsVersion };
    return { actor, claims, proof, signIn: family, forConsole: client.app.isConsoleApp };
  }
}
