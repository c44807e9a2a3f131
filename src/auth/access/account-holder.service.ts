import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { NO_AUTHORITY, type UserActor } from '../../common/actor.js';
import type { Credential } from '../../common/http/access-marks.js';
import { type ContextualRequest, acceptsCredential } from '../../common/http/context.decorator.js';
import { InsufficientPermissions, NotAuthenticated } from '../../common/http/http.refusals.js';
import type { RequestContext } from '../../common/request-context.js';
import { type Proof, proofOf } from '../../users/proof.js';
import { ownAccountKey } from '../../rate-limits/counters/counter-keys.rules.js';
import { RateLimitsService } from '../../rate-limits/rate-limits.service.js';
import type { User } from '../../users/user.entity.js';
import { UsersService } from '../../users/users.service.js';
import { CurrentUser } from './current-user.service.js';
import { FreshSignIn } from './confirmation/fresh-sign-in.service.js';
import type { LiveSession } from '../session/sso-sessions.repository.js';
import { TotpChallenges } from '../credentials/second-factor/check/totp-challenges.service.js';

/** The admitted account holder of each request. */
const admitted = new WeakMap<Request, AccountHolder>();

/** The credential that identified the account holder. */
export type HolderCredential = Exclude<Credential, 'console_session' | 'service_token'>;

/** The user whose own account a request is about. */
export interface AccountHolder {
  readonly user: User;
  /** From the session or token when it was validated. */
  readonly proof: Proof;
  /** When and how the user authenticated. */
  readonly authTime: Date;
  readonly amr: readonly string[];
  readonly via: HolderCredential;
  /** The session of the SSO cookie, if the request used it. */
  readonly session: LiveSession | null;
  /** The request's context with this user as its actor. */
  readonly ctx: RequestContext & { readonly actor: UserActor };
}

/**
 * Finds the account holder of a request: by a bearer token if one is sent, otherwise by the SSO cookie.
 *
 * Password, second factor and backup codes belong to the user in every tenant. The server of any app has access tokens
 * of its users, so a token for an app must not change them: otherwise each app could take over its users' accounts
 * everywhere (OWASP ASVS 10.3.1). The access mark of a route lists the credentials that it accepts.
 */
@Injectable()
export class AccountHolders {
  constructor(
    private readonly current: CurrentUser,
    private readonly challenges: TotpChallenges,
    private readonly users: UsersService,
    private readonly limits: RateLimitsService,
    private readonly fresh: FreshSignIn,
  ) {}

  /**
   * For the access guard.
   * @throws NotAuthenticated, InsufficientPermissions for an app's token if the route does not list it, RateLimited
   */
  async admit(request: ContextualRequest): Promise<void> {
    const holder = await this.find(request.context, request);
    request.context = holder.ctx;
    if (!acceptsCredential(request, holder.via)) throw new InsufficientPermissions();
    await this.limits.consume('own_account', ownAccountKey(holder.user.id, holder.ctx.actor.viaApp));
    admitted.set(request, holder);
  }

  /** The account holder whom the guard admitted to a route marked `@Account()`. */
  of(request: Request): AccountHolder {
    const holder = admitted.get(request);
    if (!holder) throw new Error('The route is not marked @Account()');
    return holder;
  }

  /** As {@link of}. @throws ReauthenticationRequired if the last sign-in is older than five minutes */
  async requireFresh(request: Request): Promise<AccountHolder> {
    const holder = this.of(request);
    await this.checkFresh(holder);
    return holder;
  }

  /** @throws ReauthenticationRequired */
  async checkFresh(holder: AccountHolder): Promise<void> {
    if (this.isFresh(holder)) return;
    const { via, user, ctx } = holder;
    const isByToken = via === 'console_token' || via === 'app_token';
    throw await this.fresh.refusal(user.id, isByToken ? ctx.actor.audience : null, holder);
  }

  /** @throws NotAuthenticated */
  async find(ctx: RequestContext, request: Request): Promise<AccountHolder> {
    const holder = request.headers.authorization
      ? await this.byToken(ctx, request, request.headers.authorization)
      : await this.bySession(ctx, request);
    if (!holder) throw new NotAuthenticated();
    return holder;
  }

  /** A setup token is issued by a sign-in, gives access to the setup only, and has a short lifetime. */
  isFresh({ authTime, amr, via }: Pick<AccountHolder, 'authTime' | 'amr' | 'via'>): boolean {
    return via === 'setup_token' || this.fresh.isShown({ authTime, amr });
  }

  /** Null also for a session that began before a second factor was set up, and has not used it. */
  async bySession(ctx: RequestContext, request: Request): Promise<AccountHolder | null> {
    const found = await this.current.bySession(request);
    if (found === null || found === 'second_factor_due') return null;
    const { user, proof, session } = found;
    return { ...this.holder(ctx, user, proof, found, 'session', null), session };
  }

  /** Null also for a token from before a second factor was set up, as in {@link bySession}. */
  private async byToken(ctx: RequestContext, request: Request, authorization: string): Promise<AccountHolder | null> {
    if (acceptsCredential(request, 'setup_token')) {
      const holder = await this.bySetupToken(ctx, authorization);
      if (holder) return holder;
    }
    const found = await this.current.byToken(request);
    if (found === null || found === 'second_factor_due') return null;
    const { user, proof, authTime, amr, via, actor } = found;
    return { user, proof, authTime, amr, via, session: null, ctx: { ...ctx, actor } };
  }

  /**
   * Valid while the credentials do not change, and only for the app of the sign-in. It also ends when a second factor
   * is set up.
   */
  private async bySetupToken(ctx: RequestContext, authorization: string): Promise<AccountHolder | null> {
    const token = /^bearer +([^\s]+)$/i.exec(authorization)?.[1];
    const claims = token ? await this.challenges.readSetupToken(token) : null;
    if (!claims) return null;
    const authTime = new Date(claims.iat * 1000);
    const user = await this.users.find(claims.sub);
    if (!user?.isActive || user.credentialsVersion !== claims.credentials_version) return null;
    return this.holder(ctx, user, proofOf(user), { authTime, amr: [] }, 'setup_token', claims.client_id);
  }

  private holder(
    ctx: RequestContext,
    user: User,
    proof: Proof,
    { authTime, amr }: Pick<AccountHolder, 'authTime' | 'amr'>,
    via: AccountHolder['via'],
    viaApp: string | null,
  ): AccountHolder {
    const { id: userId, email } = user;
    const actor = { type: 'user', userId, email, audience: '', viaApp, authority: NO_AUTHORITY } as const;
    return { user, proof, authTime, amr, via, session: null, ctx: { ...ctx, actor } };
  }
}
