import { Injectable } from '@nestjs/common';
import { AppDirectory } from '../../apps/app-directory.js';
import { ClientSecrets } from '../../apps/client-secrets.js';
import type { Actor, ServiceActor, UserActor } from '../../common/actor.js';
import { NotAuthenticated } from '../../common/http/http.refusals.js';
import { EnrollmentService } from '../../enrollment/enrollment.service.js';
import { EntryCache } from '../../enrollment/entry-cache.js';
import type { AccessClaims, ServiceClaims } from '../../tokens/token-use.js';
import { TokenVerifier } from '../../tokens/token-verifier.js';
import { cutAuthority } from './access.rules.js';

/** Who stands behind an `Authorization` header, with the claims of their token. */
export type Bearer =
  | { readonly actor: UserActor; readonly claims: AccessClaims }
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
  ) {}

  /** @throws NotAuthenticated whatever is wrong with the token */
  async identify(authorization: string | undefined): Promise<Bearer> {
    const token = /^bearer +([^\s]+)$/i.exec(authorization ?? '')?.[1];
    const verification = token ? await this.verifier.verify(token) : null;
    if (!verification || 'fault' in verification) throw new NotAuthenticated();
    const { claims } = verification;
    let actor: Actor | null = null;
    if (claims.token_use === 'access') actor = await this.findUser(claims);
    if (claims.token_use === 'service') actor = await this.findService(claims);
    if (!actor) throw new NotAuthenticated();
    return { actor, claims } as Bearer;
  }

  private async findUser(claims: AccessClaims): Promise<UserActor | null> {
    const [standing, known, isOutlived] = await Promise.all([
      this.enrollment.findStanding(claims.sub),
      this.directory.findOpen(claims.aud),
      this.entries.isOutlived(claims.sub, claims.aud, claims.iat),
    ]);
    if (!standing?.isActive || !known || isOutlived || claims.iat + 1 <= standing.tokensValidFrom) return null;
    const { admission } = await this.enrollment.admit({ id: claims.sub, isActive: standing.isActive }, known);
    if (admission !== 'admitted') return null;
    const authority = cutAuthority(standing.authority, { appId: known.app.id, isConsole: known.app.isConsoleApp });
    return {
      type: 'user',
      userId: claims.sub,
      email: standing.email,
      audience: claims.aud,
      authority,
      issuedAt: claims.iat,
    };
  }

  /** Scopes that the app has lost since stop working at once. */
  private async findService(claims: ServiceClaims): Promise<ServiceActor | null> {
    const live = await this.clients.find(claims.sub);
    if (!live?.isOpen) return null;
    const scopes = claims.scope.split(' ').filter((scope) => live.serviceScopes.includes(scope));
    return { type: 'service', appId: claims.sub, tenantId: live.tenantId, scopes: new Set(scopes) };
  }
}
