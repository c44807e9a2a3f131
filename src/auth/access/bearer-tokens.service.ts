import { Inject, Injectable } from '@nestjs/common';
import { AppDirectory } from '../../apps/app-directory.js';
import { ClientSecrets } from '../../apps/client-secrets.js';
import type { ServiceActor, UserActor } from '../../common/actor.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { NotAuthenticated } from '../../common/http/http.refusals.js';
import { EnrollmentService } from '../../enrollment/enrollment.service.js';
import { EntryCache } from '../../enrollment/entry-cache.js';
import { signedInAtMs } from '../../tokens/jwt/signed-in-at.rules.js';
import type { AccessClaims, ServiceClaims } from '../../tokens/jwt/token-use.js';
import { TokenVerifier } from '../../tokens/jwt/token-verifier.js';
import type { Proof } from '../../users/proof.js';
import { hasShownSecondFactor } from '../credentials/second-factor/second-factor.rules.js';
import { cutAuthority, withoutAdministration } from './access.rules.js';

/** The caller of an `Authorization` header, with the claims of the token. */
export type Bearer =
  | {
      readonly actor: UserActor;
      readonly claims: AccessClaims;
      readonly proof: Proof;
      /** Whether the token was made for a Console app, or for an app that a tenant runs. */
      readonly forConsole: boolean;
    }
  | { readonly actor: ServiceActor; readonly claims: ServiceClaims };

/**
 * From a bearer token to the party behind it, as the database knows it now: authority is never taken from the token,
 * and counts only for the audience that the token was made for.
 */
@Injectable()
export class BearerTokens {
  constructor(
    private readonly verifier: TokenVerifier,
    private readonly directory: AppDirectory,
    private readonly enrollment: EnrollmentService,
    private readonly entries: EntryCache,
    private readonly clients: ClientSecrets,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @throws NotAuthenticated whatever is wrong with the token */
  async identify(authorization: string | undefined): Promise<Bearer> {
    const token = /^bearer +([^\s]+)$/i.exec(authorization ?? '')?.[1];
    const verification = token ? await this.verifier.verify(token) : null;
    if (!verification || 'fault' in verification) throw new NotAuthenticated();
    const { claims } = verification;
    let bearer: Bearer | null = null;
    if (claims.token_use === 'access') bearer = await this.findUser(claims);
    if (claims.token_use === 'service') bearer = await this.findService(claims);
    if (!bearer) throw new NotAuthenticated();
    return bearer;
  }

  private async findUser(claims: AccessClaims): Promise<Bearer | null> {
    const signedInAt = signedInAtMs(claims);
    const [standing, client, isOutlived] = await Promise.all([
      this.enrollment.findUserAuthority(claims.sub),
      this.directory.findOpen(claims.aud),
      this.entries.isOutlived(claims.sub, claims.aud, signedInAt),
    ]);
    if (!standing?.isActive || !client || isOutlived || signedInAt < standing.tokensValidFrom) return null;
    const { admission } = await this.enrollment.admit({ id: claims.sub, isActive: standing.isActive }, client);
    if (admission !== 'admitted') return null;
    const mayAdminister =
      !this.settings.requireAdmin2fa || (standing.hasSecondFactor && hasShownSecondFactor(claims.amr));
    const held = mayAdminister ? standing.authority : withoutAdministration(standing.authority);
    const authority = cutAuthority(held, { appId: client.app.id, isConsole: client.app.isConsoleApp });
    const { sub: userId, aud: audience } = claims;
    const { email } = standing;
    const actor = { type: 'user', userId, email, audience, authority, signedInAtMs: signedInAt } as const;
    const proof = { userId, credentialsVersion: standing.credentialsVersion };
    return { actor, claims, proof, forConsole: client.app.isConsoleApp };
  }

  /** Scopes that the app has lost since stop working at once. */
  private async findService(claims: ServiceClaims): Promise<Bearer | null> {
    const live = await this.clients.find(claims.sub);
    if (!live?.isOpen) return null;
    const scopes = claims.scope.split(' ').filter((scope) => live.serviceScopes.includes(scope));
    const actor = { type: 'service', appId: claims.sub, tenantId: live.tenantId, scopes: new Set(scopes) } as const;
    return { actor, claims };
  }
}
