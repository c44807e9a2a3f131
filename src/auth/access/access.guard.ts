import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AppDirectory } from '../../apps/app-directory.js';
import type { Actor, ServiceActor, UserActor } from '../../common/actor.js';
import { ACCESS_MARK, type AccessMark } from '../../common/http/access-marks.js';
import type { ContextualRequest } from '../../common/http/context.decorator.js';
import { InsufficientPermissions, MissingRequiredScope, NotAuthenticated } from '../../common/http/http.refusals.js';
import { EnrollmentService } from '../../enrollment/enrollment.service.js';
import { EntryCache } from '../../enrollment/entry-cache.js';
import type { AccessClaims, ServiceClaims } from '../../tokens/token-use.js';
import { TokenVerifier } from '../../tokens/token-verifier.js';
import { cutAuthority, hasStanding, widensAuthority } from './access.rules.js';

/**
 * The one guard: reads the route's mark, finds out who asks, and builds the request's context. Authority comes from the
 * database at each request, never from the token, and counts only for the audience that the token was made for.
 * It decides who may knock; whether this very object is theirs, the service decides.
 */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly verifier: TokenVerifier,
    private readonly directory: AppDirectory,
    private readonly enrollment: EnrollmentService,
    private readonly entries: EntryCache,
  ) {}

  async canActivate(host: ExecutionContext): Promise<boolean> {
    const request = host.switchToHttp().getRequest<ContextualRequest>();
    const mark = this.reflector.getAllAndOverride<AccessMark | undefined>(ACCESS_MARK, [
      host.getHandler(),
      host.getClass(),
    ]);
    const context = { requestId: request.id, ip: request.ip ?? null, userAgent: request.headers['user-agent'] ?? null };
    request.context = { ...context, actor: { type: 'anonymous' } };
    if (!mark) throw new InsufficientPermissions();
    if (mark.kind !== 'bearer') return true;
    const actor = await this.identify(request.headers.authorization);
    request.context = { ...context, actor };
    if (actor.type === 'service') {
      this.checkService(actor, mark.scope, request.body);
      return true;
    }
    if (!mark.standing || !hasStanding(actor.authority, mark.standing)) throw refusalOf(mark);
    return true;
  }

  /** @throws NotAuthenticated whatever is wrong with the token */
  private async identify(authorization: string | undefined): Promise<UserActor | ServiceActor> {
    const token = /^bearer +([^\s]+)$/i.exec(authorization ?? '')?.[1];
    const verification = token ? await this.verifier.verify(token) : null;
    if (!verification || 'fault' in verification) throw new NotAuthenticated();
    const { claims } = verification;
    let actor: Actor | null = null;
    if (claims.token_use === 'access') actor = await this.findUser(claims);
    if (claims.token_use === 'service') actor = await this.findService(claims);
    if (!actor) throw new NotAuthenticated();
    return actor;
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
    return { type: 'user', userId: claims.sub, email: standing.email, audience: claims.aud, authority };
  }

  /** Scopes that the app has lost since stop working at once. */
  private async findService(claims: ServiceClaims): Promise<ServiceActor | null> {
    const known = await this.directory.findOpen(claims.sub);
    if (!known) return null;
    const scopes = claims.scope.split(' ').filter((scope) => known.app.serviceScopes.includes(scope));
    return { type: 'service', appId: known.app.id, tenantId: known.app.tenantId, scopes: new Set(scopes) };
  }

  private checkService(actor: ServiceActor, scope: string | null, body: unknown): void {
    if (!scope) throw new InsufficientPermissions();
    if (!actor.scopes.has(scope)) throw new MissingRequiredScope();
    if (widensAuthority(body, actor.tenantId)) throw new InsufficientPermissions();
  }
}

/** A route that only service tokens may use tells a person what it wants. */
function refusalOf(mark: Extract<AccessMark, { kind: 'bearer' }>): Error {
  return mark.standing ? new InsufficientPermissions() : new MissingRequiredScope();
}
