import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { KnownApp } from '../apps/app-directory.js';
import type { RequestContext } from '../common/request-context.js';
import { Transactions } from '../database/transactions.js';
import { RefreshTokensService } from '../tokens/grants/refresh-tokens.service.js';
import { TokenIssuer } from '../tokens/token-issuer.js';
import type { TokenResponse } from '../tokens/token-response.view.js';
import type { User } from '../users/user.entity.js';
import {
  AccountSuspendedForApp,
  InvalidAppId,
  InvalidCredentials,
  NoAccess,
  SecondFactorRequired,
  SignInMethodNotAllowed,
} from './auth.errors.js';
import { type EntryVerdict, isShutOut } from './entry.rules.js';
import { TotpChallenges } from './second-factor/totp-challenges.service.js';
import { SsoSessionsService } from './session/sso-sessions.service.js';
import { SignInCompletionService } from './sign-in-completion.service.js';

/** Who has shown what, and where they want to go: the JSON counterpart of a hosted attempt. */
export interface DirectSignIn {
  readonly known: KnownApp;
  readonly user: User;
  readonly authTime: Date;
  /** RFC 8176, e.g. `['pwd']`. */
  readonly amr: readonly string[];
  readonly deviceId: string | null;
  /** The SSO cookie that came along; its session is replaced. */
  readonly replacedSession: string | null;
  /** Nobody has proven who they are anew: what carried the request lives on as it is, and no SSO session begins. */
  readonly beginsNoSession?: true;
}

/** Tokens and, where a session began, the SSO cookie's value. */
export interface SignedInAnswer {
  readonly tokens: TokenResponse;
  readonly ssoToken: string | null;
}

/** That, or what the second factor is asked with. */
export type DirectAnswer = SignedInAnswer | { readonly totpSession: string };

/** What was made in the transaction of a sign-in; the tokens are signed after it. */
export interface MadeSignIn {
  readonly ssoToken: string | null;
  readonly refreshToken: string;
}

/** The end of every sign-in by JSON, whichever door was taken: one judgement, one transaction, one answer. */
@Injectable()
export class DirectSignInService {
  constructor(
    private readonly completion: SignInCompletionService,
    private readonly challenges: TotpChallenges,
    private readonly sessions: SsoSessionsService,
    private readonly refreshTokens: RefreshTokensService,
    private readonly issuer: TokenIssuer,
    private readonly transactions: Transactions,
  ) {}

  /**
   * @param prove in the same transaction, before anything is made or said: spends what proves the person
   * @throws the refusals of the specification's table for POST /auth/login
   */
  async complete(
    ctx: RequestContext,
    signIn: DirectSignIn,
    prove?: (tx: EntityManager) => Promise<void>,
  ): Promise<DirectAnswer> {
    const { known, user, amr } = signIn;
    const { verdict } = await this.completion.judge(user, known, amr);
    if (verdict === 'second_factor_due') return this.askSecondFactor(signIn);
    if (verdict !== 'enter') {
      // What lies behind the second factor is told only to those who have shown it.
      if (prove && !isShutOut(verdict)) await this.transactions.run(prove);
      await this.completion.recordRefusal(ctx, user, known, verdict);
      throw await this.refusalOf(verdict, signIn);
    }
    const made = await this.transactions.run(async (tx) => {
      await prove?.(tx);
      return this.make(tx, ctx, signIn);
    });
    return this.answer(signIn, made);
  }

  /** Session, refresh token and audit entry, for callers with a transaction of their own. They have judged before. */
  async make(tx: EntityManager, ctx: RequestContext, signIn: DirectSignIn): Promise<MadeSignIn> {
    const { known, user, authTime, amr } = signIn;
    const proof = { userId: user.id, authTime, amr };
    const session = signIn.beginsNoSession ? null : await this.sessions.open(tx, ctx, proof, signIn.replacedSession);
    const sid = session?.sid ?? null;
    const refreshToken = await this.refreshTokens.begin(
      tx,
      { ...proof, amr: [...amr], appId: known.app.id, deviceId: signIn.deviceId, scope: null, sid },
      known.app.config.refresh_lifetime_days,
    );
    await this.completion.record(tx, ctx, { user, known, amr, via: 'api' });
    return { ssoToken: session?.token ?? null, refreshToken };
  }

  /** After the commit of {@link make}. */
  async answer(
    { known, user, authTime, amr }: DirectSignIn,
    { ssoToken, refreshToken }: MadeSignIn,
  ): Promise<SignedInAnswer> {
    const { app } = known;
    const { roles } = await this.completion.judge(user, known, amr);
    const tokens = await this.issuer.respond(
      {
        user,
        roles,
        app: { id: app.id, tenantId: app.tenantId, tokenLifetimeMinutes: app.config.token_lifetime_minutes },
        authTime,
        amr,
        scope: null,
        nonce: null,
        sid: null,
        refreshToken,
      },
      'sign_in',
    );
    return { tokens, ssoToken };
  }

  private async askSecondFactor({ known, user, authTime, amr, deviceId }: DirectSignIn): Promise<DirectAnswer> {
    const facts = { userId: user.id, appId: known.app.id, deviceId, authTime, amr: [...amr] };
    return { totpSession: await this.challenges.begin(facts) };
  }

  private async refusalOf(
    verdict: Exclude<EntryVerdict, 'enter' | 'second_factor_due'>,
    { user, known }: Pick<DirectSignIn, 'user' | 'known'>,
  ): Promise<Error> {
    switch (verdict) {
      case 'suspended':
        return new AccountSuspendedForApp();
      case 'pending':
      case 'not_enrolled':
        return new NoAccess();
      case 'second_factor_required':
        return new SecondFactorRequired(await this.challenges.setupToken(user.id, known.app.id));
      case 'method_not_allowed':
        return new SignInMethodNotAllowed();
      case 'app_closed':
        return new InvalidAppId();
      case 'user_inactive':
        return new InvalidCredentials();
    }
  }

  /** For an account made just now, whose app demands a second factor. */
  async demandSecondFactor(user: User, known: KnownApp): Promise<Error> {
    return this.refusalOf('second_factor_required', { user, known });
  }
}
