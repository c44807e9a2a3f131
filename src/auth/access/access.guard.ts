import { RECENT_SIGN_IN_SECONDS, ReauthenticationRequired } from '../../common/http/recent-sign-in.js';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { ServiceActor } from '../../common/actor.js';
import { ACCESS_MARK, type AccessMark, credentialsOf } from '../../common/http/access-marks.js';
import type { ContextualRequest } from '../../common/http/context.decorator.js';
import { InsufficientPermissions, MissingRequiredScope, NotAuthenticated } from '../../common/http/http.refusals.js';
import { BearerThrottleGuard } from '../../rate-limits/bearer-throttle.guard.js';
import { DpopTokenRefused } from '../../tokens/dpop/dpop.errors.js';
import { KnownBrowserCookie } from '../session/known-browsers/known-browser-cookie.js';
import { hasMinimumRole, widensAuthority } from './access.rules.js';
import { AccountHolders } from './account-holder.service.js';
import { type Bearer, BearerTokens } from './bearer-tokens.service.js';
import { RecentSignIn } from './confirmation/recent-sign-in.service.js';

type BearerMark = Extract<AccessMark, { kind: 'bearer' }>;

const USER_AGENT_LENGTH = 512;

/**
 * The only guard: reads the route's access mark, identifies the caller, and builds the request's context. Authority is
 * read from the database at each request, never from the token, and counts only for the token's audience. A credential
 * that the mark does not list is ignored. The guard decides who may call; the service decides whether the object is
 * theirs.
 */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly bearers: BearerTokens,
    private readonly holders: AccountHolders,
    private readonly knownBrowser: KnownBrowserCookie,
    private readonly throttle: BearerThrottleGuard,
    private readonly recent: RecentSignIn,
  ) {}

  async canActivate(host: ExecutionContext): Promise<boolean> {
    const request = host.switchToHttp().getRequest<ContextualRequest>();
    const mark = this.reflector.getAllAndOverride<AccessMark | undefined>(ACCESS_MARK, [
      host.getHandler(),
      host.getClass(),
    ]);
    const context = {
      requestId: request.id,
      ip: request.ip ?? null,
      userAgent: request.headers['user-agent']?.slice(0, USER_AGENT_LENGTH) ?? null,
      browserMark: this.knownBrowser.markOf(request),
    };
    request.context = { ...context, actor: { type: 'anonymous' } };
    if (!mark) throw new InsufficientPermissions();
    request.credentials = credentialsOf(mark);
    if (mark.kind === 'account') await this.holders.admit(request);
    if (mark.kind !== 'bearer') return true;
    const { actor, claims } = await this.identify(mark, () => this.bearers.identify(request));
    request.context = { ...context, actor };
    // Called before any refusal, so that refused requests count as well.
    await this.throttle.canActivate(host);
    this.checkAuthority(actor, mark, request.body);
    request.judgeAgain = async () => {
      const { actor: now } = await this.identify(mark, () => this.bearers.find(claims));
      request.context = { ...request.context!, actor: now };
      this.checkAuthority(now, mark, request.body);
    };
    if (claims.token_use !== 'access' || actor.type !== 'user') return true;
    const shown = { authTime: new Date(claims.auth_time * 1000), amr: claims.amr };
    const signedInRecently = await this.recent.isRecent(mark.recentSignIn, actor, shown);
    if (signedInRecently === false && (await this.recent.isRequired(mark.recentSignIn, request)))
      throw new ReauthenticationRequired(RECENT_SIGN_IN_SECONDS);
    request.context = { ...request.context, signedInRecently };
    return true;
  }

  private async identify({ noToken }: BearerMark, find: () => Promise<Bearer>): Promise<Bearer> {
    try {
      return await find();
    } catch (error) {
      if (error instanceof DpopTokenRefused) throw error;
      throw error instanceof NotAuthenticated ? new NotAuthenticated(noToken) : error;
    }
  }

  private checkAuthority(actor: Bearer['actor'], mark: BearerMark, body: unknown): void {
    if (actor.type === 'service') this.checkService(actor, mark, body);
    else if (!mark.minimumRole || !hasMinimumRole(actor.authority, mark.minimumRole)) throw refusalOf(mark);
  }

  private checkService(actor: ServiceActor, { scope, freeBody, recentSignIn }: BearerMark, body: unknown): void {
    if (!scope || recentSignIn === 'always') throw new InsufficientPermissions();
    if (!actor.scopes.has(scope)) throw new MissingRequiredScope(scope);
    if (!freeBody && widensAuthority(body, actor.tenantId)) throw new InsufficientPermissions();
  }
}

/** A user who calls a route that is only for service tokens learns which scope it needs. */
function refusalOf(mark: BearerMark): Error {
  return mark.minimumRole ? new InsufficientPermissions() : new MissingRequiredScope(mark.scope);
}
