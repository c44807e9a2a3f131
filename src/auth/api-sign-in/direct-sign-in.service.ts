import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { KnownApp } from '../../apps/app-directory.js';
import type { RequestContext } from '../../common/request-context.js';
import { Transactions } from '../../database/transactions.js';
import type { Grant } from '../../tokens/grants/grant.js';
import { RefreshTokensService } from '../../tokens/grants/refresh-tokens.service.js';
import { EmailNotVerified } from '../../tokens/tokens.errors.js';
import { TokenIssuer } from '../../tokens/token-issuer.js';
import type { TokenResponse } from '../../tokens/token-response.view.js';
import { type Proof, proofOf } from '../../users/proof.js';
import { type HeldProof, ProofGuard } from '../../users/proof-guard.js';
import { ProofOutdated } from '../../users/proof-outdated.js';
import type { User } from '../../users/user.entity.js';
import {
  AccountSuspendedForApp,
  InvalidAppId,
  InvalidCredentials,
  NoAccess,
  SecondFactorRequired,
  SignInMethodNotAllowed,
} from '../entry/auth.errors.js';
import { EntryRefused } from '../entry/entry-refused.js';
import { type EntryVerdict, isShutOut, lacksProvenEmail } from '../entry/entry.rules.js';
import { EmailVerificationService } from '../email-links/email-verification.service.js';
import { TotpChallenges } from '../credentials/second-factor/totp-challenges.service.js';
import { SsoSessionsService } from '../session/sso-sessions.service.js';
import { SignInCompletionService } from '../entry/sign-in-completion.service.js';

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
  /** What carried the request may not set up a second factor for the person: they sign in for that. */
  readonly setsUpNoFactor?: boolean;
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
  readonly grant: Grant;
  readonly ssoToken: string | null;
}

/** What a door adds to {@link DirectSignInService.complete}. */
export interface Door {
  readonly proof: Proof;
  /** What it says where the proof is no longer true. */
  readonly whenOutdated: () => Error;
  /** In the same transaction, before anything is made or said: spends what proves the person. */
  readonly prove?: (tx: EntityManager, held: HeldProof) => Promise<void>;
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
    private readonly proofs: ProofGuard,
    private readonly transactions: Transactions,
    private readonly verification: EmailVerificationService,
  ) {}

  /** @throws the refusals that the OpenAPI document lists for POST /auth/login */
  async complete(ctx: RequestContext, signIn: DirectSignIn, door: Door): Promise<DirectAnswer> {
    try {
      return await this.decide(ctx, signIn, door);
    } catch (error) {
      if (!(error instanceof ProofOutdated)) throw error;
      await this.completion.recordRefusal(ctx, signIn.user, signIn.known, 'credentials_changed');
      throw door.whenOutdated();
    }
  }

  private async decide(ctx: RequestContext, signIn: DirectSignIn, { proof, prove }: Door): Promise<DirectAnswer> {
    const { known, user, amr } = signIn;
    const { verdict } = await this.completion.judge(user, known, amr);
    if (verdict === 'second_factor_due') return this.askSecondFactor(proof, signIn);
    if (verdict !== 'enter') {
      // What lies behind the second factor is told only to those who have shown it.
      if (prove && !isShutOut(verdict)) await this.held(proof, prove);
      return this.refuse(ctx, signIn, proof, verdict);
    }
    try {
      const made = await this.held(proof, async (tx, held) => {
        await prove?.(tx, held);
        return this.make(tx, ctx, held, signIn);
      });
      return await this.answer(made);
    } catch (error) {
      if (!(error instanceof EntryRefused) || error.verdict === 'second_factor_due') throw error;
      return this.refuse(ctx, signIn, proof, error.verdict);
    }
  }

  private held<T>(proof: Proof, work: (tx: EntityManager, held: HeldProof) => Promise<T>): Promise<T> {
    return this.transactions.run(async (tx) => work(tx, await this.proofs.hold(tx, proof)));
  }

  /** Session, refresh token and audit entry, for callers with a transaction of their own. @throws EntryRefused */
  async make(tx: EntityManager, ctx: RequestContext, held: HeldProof, signIn: DirectSignIn): Promise<MadeSignIn> {
    const { known, user, authTime, amr, deviceId, replacedSession } = signIn;
    const roles = await this.completion.enter(tx, ctx, held, { user, known, amr, via: 'api' });
    const how = { authTime, amr: [...amr] };
    const session = signIn.beginsNoSession
      ? null
      : await this.sessions.open(tx, ctx, held, how, replacedSession, { by: 'api', deviceId });
    const facts = { ...how, appId: known.app.id, deviceId, scope: null, claims: null, sid: session?.sid ?? null };
    const finished = { user, roles, app: known.app, facts, nonce: null };
    return { grant: await this.refreshTokens.begin(tx, held, finished), ssoToken: session?.token ?? null };
  }

  /** As {@link make}, for an account that the same transaction has made. */
  async makeFirst(tx: EntityManager, ctx: RequestContext, signIn: DirectSignIn): Promise<MadeSignIn> {
    try {
      return await this.make(tx, ctx, await this.proofs.hold(tx, proofOf(signIn.user)), signIn);
    } catch (error) {
      // Switched off since the request began.
      throw error instanceof EntryRefused ? new InvalidAppId() : error;
    }
  }

  /** After the commit of {@link make}. */
  async answer({ grant, ssoToken }: MadeSignIn): Promise<SignedInAnswer> {
    return { tokens: await this.issuer.respond(grant, 'sign_in'), ssoToken };
  }

  private async askSecondFactor(proof: Proof, { known, authTime, amr, deviceId }: DirectSignIn): Promise<DirectAnswer> {
    const facts = { appId: known.app.id, deviceId, authTime, amr: [...amr] };
    return { totpSession: await this.held(proof, (tx, held) => this.challenges.begin(tx, held, facts)) };
  }

  private async refuse(
    ctx: RequestContext,
    { user, known, setsUpNoFactor }: DirectSignIn,
    proof: Proof,
    verdict: Exclude<EntryVerdict, 'enter' | 'second_factor_due'>,
  ): Promise<never> {
    const refusal =
      verdict === 'second_factor_required' && setsUpNoFactor
        ? new SecondFactorRequired(null)
        : await this.refusalOf(verdict, known, proof);
    await this.completion.recordRefusal(ctx, user, known, verdict);
    throw refusal;
  }

  private async refusalOf(
    verdict: Exclude<EntryVerdict, 'enter' | 'second_factor_due'>,
    known: KnownApp,
    proof: Proof,
  ): Promise<Error> {
    switch (verdict) {
      case 'suspended':
        return new AccountSuspendedForApp();
      case 'pending':
      case 'not_enrolled':
        return new NoAccess();
      case 'email_not_verified':
        return this.demandVerification(proof.userId, known);
      case 'second_factor_required':
        return new SecondFactorRequired(await this.setupToken(proof, known));
      case 'method_not_allowed':
        return new SignInMethodNotAllowed();
      case 'app_closed':
        return new InvalidAppId();
      case 'user_inactive':
        return new InvalidCredentials();
    }
  }

  /** Whether an account made just now has more to show before it enters: a second factor, or that the address is theirs. */
  demandsMore(known: KnownApp, user: Pick<User, 'emailVerified'>): boolean {
    return this.completion.demandsSecondFactor(known) || lacksProvenEmail(user, known);
  }

  /** For an account made just now, whose app demands more than it has yet; its verification mail is on its way. */
  async demandMore(user: User, known: KnownApp): Promise<Error> {
    if (lacksProvenEmail(user, known)) return new EmailNotVerified();
    return this.refusalOf('second_factor_required', known, proofOf(user));
  }

  private setupToken(proof: Proof, { app }: KnownApp): Promise<string> {
    return this.held(proof, (_, held) => this.challenges.setupToken(held, app.id));
  }

  /** Who signs in by JSON has no page that could mail the link again, so it is mailed here, as often as it may be. */
  private async demandVerification(userId: string, known: KnownApp): Promise<Error> {
    await this.verification.request(userId, known.app.id);
    return new EmailNotVerified();
  }
}
