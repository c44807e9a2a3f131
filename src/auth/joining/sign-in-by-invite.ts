import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { KnownApp } from '../../apps/app-directory.js';
import type { RequestContext } from '../../common/request-context.js';
import { RefreshTokensService } from '../../tokens/grants/refresh-tokens.service.js';
import { TokenIssuer } from '../../tokens/token-issuer.js';
import type { TokenResponse } from '../../tokens/token-response.view.js';
import type { User } from '../../users/user.entity.js';
import type { EntryVerdict } from '../entry.rules.js';
import { refusalOf } from '../password-login.service.js';
import { SsoSessionsService } from '../session/sso-sessions.service.js';
import { SignInCompletionService } from '../sign-in-completion.service.js';

export interface AcceptedInvite {
  readonly tokens: TokenResponse;
  /** Null where nobody authenticated: the session or token that carried it lives on as it is. */
  readonly ssoToken: string | null;
}

interface InvitedSignIn {
  readonly known: KnownApp;
  readonly user: User;
  readonly authTime: Date;
  readonly amr: readonly string[];
  readonly deviceId: string | null;
  /** To begin a session, ending the one presented; null begins none. */
  readonly session: { readonly replaced: string | null } | null;
}

/** What was made inside the transaction of the redemption, to be answered after it. */
export type BegunSignIn =
  | { readonly verdict: Exclude<EntryVerdict, 'enter'> }
  | {
      readonly verdict: 'enter';
      readonly roles: readonly string[];
      readonly made: { readonly refreshToken: string; readonly ssoToken: string | null };
    };

/** The sign-in that an accepted invite ends with, in two halves around the commit. */
@Injectable()
export class SignInByInvite {
  constructor(
    private readonly completion: SignInCompletionService,
    private readonly sessions: SsoSessionsService,
    private readonly refreshTokens: RefreshTokensService,
    private readonly issuer: TokenIssuer,
  ) {}

  /** In the transaction that has redeemed the invite. Who may not enter yet has joined all the same. */
  async begin(tx: EntityManager, ctx: RequestContext, signIn: InvitedSignIn): Promise<BegunSignIn> {
    const { known, user, authTime, amr, deviceId, session } = signIn;
    const { app } = known;
    const { verdict, roles } = await this.completion.judge(user, known, tx);
    if (verdict !== 'enter') return { verdict };
    const proof = { userId: user.id, authTime, amr };
    const ssoToken = session && (await this.sessions.begin(tx, ctx, proof, session.replaced));
    const facts = { ...proof, appId: app.id, deviceId, scope: null };
    const refreshToken = await this.refreshTokens.begin(tx, facts, app.config.refresh_lifetime_days);
    await this.completion.record(tx, ctx, { user, known, amr, via: 'api' });
    return { verdict, roles, made: { refreshToken, ssoToken } };
  }

  /** After the commit. @throws the refusal that belongs to the verdict */
  async answer(ctx: RequestContext, signIn: InvitedSignIn, begun: BegunSignIn): Promise<AcceptedInvite> {
    const { known, user, authTime, amr } = signIn;
    if (begun.verdict !== 'enter') {
      await this.completion.recordRefusal(ctx, user, known, begun.verdict);
      throw refusalOf(begun.verdict);
    }
    const { roles, made } = begun;
    const { app } = known;
    const tokens = await this.issuer.respond(
      {
        user,
        roles,
        app: { id: app.id, tenantId: app.tenantId, tokenLifetimeMinutes: app.config.token_lifetime_minutes },
        authTime,
        amr,
        scope: null,
        nonce: null,
        refreshToken: made.refreshToken,
      },
      'sign_in',
    );
    return { tokens, ssoToken: made.ssoToken };
  }
}
