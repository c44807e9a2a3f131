import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Clock } from '../../common/clock.js';
import { NotAuthenticated } from '../../common/http/http.refusals.js';
import type { RequestContext } from '../../common/request-context.js';
import { TokenVerifier } from '../../tokens/token-verifier.js';
import type { User } from '../../users/user.entity.js';
import { UsersService } from '../../users/users.service.js';
import { BearerTokens } from '../access/bearer-tokens.service.js';
import { ReauthenticationRequired } from '../auth.errors.js';
import type { LiveSession } from '../session/sso-sessions.repository.js';
import { SsoSessionsService } from '../session/sso-sessions.service.js';
import { awaitsSecondFactor } from './second-factor.rules.js';

/** Longest age of the sign-in behind a change to how one signs in (ASVS 7.5.1). */
const FRESH_SECONDS = 300;

/** The person whose own account a request is about. */
export interface AccountHolder {
  readonly user: User;
  readonly authTime: Date;
  readonly via: 'session' | 'bearer' | 'setup_token';
  /** The browser session behind the SSO cookie, where they came by it. */
  readonly session: LiveSession | null;
  /** The request's context with this person as its actor. */
  readonly ctx: RequestContext;
}

/** Finds out whose account it is: by a bearer token where one is sent, else by the SSO cookie. */
@Injectable()
export class AccountHolders {
  constructor(
    private readonly sessions: SsoSessionsService,
    private readonly bearers: BearerTokens,
    private readonly verifier: TokenVerifier,
    private readonly users: UsersService,
    private readonly clock: Clock,
  ) {}

  /** @throws NotAuthenticated */
  async find(ctx: RequestContext, request: Request, options = { setupToken: false }): Promise<AccountHolder> {
    const holder = request.headers.authorization
      ? await this.byToken(ctx, request.headers.authorization, options.setupToken)
      : await this.bySession(ctx, request);
    if (!holder) throw new NotAuthenticated();
    return holder;
  }

  /** @throws NotAuthenticated, ReauthenticationRequired where the last sign-in is older than five minutes */
  async findFresh(ctx: RequestContext, request: Request, options = { setupToken: false }): Promise<AccountHolder> {
    const holder = await this.find(ctx, request, options);
    if (!this.isFresh(holder)) throw new ReauthenticationRequired();
    return holder;
  }

  isFresh({ authTime }: Pick<AccountHolder, 'authTime'>): boolean {
    return this.clock.now().getTime() - authTime.getTime() <= FRESH_SECONDS * 1000;
  }

  /** Null also for a session from before a second factor was set up: it has not shown it. */
  async bySession(ctx: RequestContext, request: Request): Promise<AccountHolder | null> {
    const session = await this.sessions.find(request);
    const user = session && (await this.users.find(session.userId));
    if (!user?.isActive || awaitsSecondFactor(user, session!.amr)) return null;
    return { ...this.holder(ctx, user, session!.authTime, 'session'), session };
  }

  private async byToken(
    ctx: RequestContext,
    authorization: string,
    takesSetupToken: boolean,
  ): Promise<AccountHolder | null> {
    if (takesSetupToken) {
      const holder = await this.bySetupToken(ctx, authorization);
      if (holder) return holder;
    }
    const { actor, claims } = await this.bearers.identify(authorization);
    if (actor.type !== 'user') return null;
    const user = await this.users.find(actor.userId);
    const authTime = 'auth_time' in claims ? new Date(claims.auth_time * 1000) : new Date(0);
    return user && { user, authTime, via: 'bearer', session: null, ctx: { ...ctx, actor } };
  }

  /** Good while the person has no second factor: with one, the setup token would be a way around it. */
  private async bySetupToken(ctx: RequestContext, authorization: string): Promise<AccountHolder | null> {
    const token = /^bearer +([^\s]+)$/i.exec(authorization)?.[1];
    const verification = token ? await this.verifier.verify(token) : null;
    if (!verification || 'fault' in verification || verification.claims.token_use !== 'totp_setup') return null;
    const { sub, iat } = verification.claims;
    const user = await this.users.find(sub);
    const isOutlived = user && (await this.users.endedSince(user.id, new Date(iat * 1000)));
    if (!user?.isActive || user.totpEnabledAt || isOutlived) return null;
    return this.holder(ctx, user, new Date(iat * 1000 + 1), 'setup_token');
  }

  private holder(ctx: RequestContext, user: User, authTime: Date, via: AccountHolder['via']): AccountHolder {
    const authority = {
      platform: false,
      tenants: new Set<string>(),
      appsAdministered: new Set<string>(),
      appsManaged: new Set<string>(),
    };
    const actor = { type: 'user' as const, userId: user.id, email: user.email, audience: '', authority };
    return { user, authTime, via, session: null, ctx: { ...ctx, actor } };
  }
}
