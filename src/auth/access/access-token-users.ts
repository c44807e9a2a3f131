import { Inject, Injectable } from '@nestjs/common';
import { asksConsent } from '../../apps/app-config.rules.js';
import { AppDirectory } from '../../apps/app-directory.js';
import type { UserActor } from '../../common/actor.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { EnrollmentService } from '../../enrollment/enrollment.service.js';
import { EntryCache } from '../../enrollment/entry-cache.js';
import { type KnownFamily, RefreshFamiliesRepository } from '../../tokens/grants/refresh-families.repository.js';
import { signedInAtMs } from '../../tokens/jwt/signed-in-at.rules.js';
import type { AccessClaims } from '../../tokens/jwt/token-use.js';
import type { Proof } from '../../users/proof.js';
import { hasShownSecondFactor } from '../credentials/second-factor/second-factor.rules.js';
import { cutAuthority, withoutAdministration } from './access.rules.js';

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
    private readonly directory: AppDirectory,
    private readonly enrollment: EnrollmentService,
    private readonly entries: EntryCache,
    private readonly families: RefreshFamiliesRepository,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * Null where the account, its sign-in or its place in the app is no longer what the token says. The sign-in is read after
   * the account: one that ends in between has either changed the version that is in the proof, or is found ended.
   */
  async find(claims: AccessClaims): Promise<UserBearer | null> {
    const signedInAt = signedInAtMs(claims);
    const [standing, client, isOutlived] = await Promise.all([
      this.enrollment.findUserAuthority(claims.sub),
      this.directory.findOpen(claims.aud),
      this.entries.isOutlived(claims.sub, claims.aud, signedInAt),
    ]);
    if (!standing?.isActive || !client || isOutlived || signedInAt < standing.tokensValidFrom) return null;
    // /userinfo answers what users have consented to; no consent lets an app act here as them.
    if (asksConsent(client.app)) return null;
    const [{ admission }, family] = await Promise.all([
      this.enrollment.admit({ id: claims.sub, isActive: standing.isActive }, client),
      this.families.findAlive(claims),
    ]);
    if (admission !== 'admitted' || !family) return null;
    const mayAdminister =
      !this.settings.requireAdmin2fa || (standing.hasSecondFactor && hasShownSecondFactor(claims.amr));
    const held = mayAdminister ? standing.authority : withoutAdministration(standing.authority);
    const authority = cutAuthority(held, { appId: client.app.id, isConsole: client.app.isConsoleApp });
    const { sub: userId, aud: audience } = claims;
    const { email, credentialsVersion } = standing;
    const place = client.tenant.isPlatform ? {} : { tenantId: client.tenant.id };
    const known = { authority, credentialsVersion, amr: claims.amr };
    const actor = { type: 'user', userId, email, audience, ...place, ...known } as const;
    const proof = { userId, credentialsVersion };
    return { actor, claims, proof, signIn: family, forConsole: client.app.isConsoleApp };
  }
}
