import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { demandsPkce } from '../../apps/app-config.rules.js';
import type { RequestContext } from '../../common/request-context.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { Transactions } from '../../database/transactions.js';
import { AuthorizationCodesService } from '../../tokens/grants/authorization-codes.service.js';
import type { SignInFacts } from '../../tokens/grants/grant.js';
import { RefreshTokensService } from '../../tokens/grants/refresh-tokens.service.js';
import { requestedClaims } from '../../tokens/requested-claims.rules.js';
import { TokenIssuer } from '../../tokens/token-issuer.js';
import { type HeldProof, ProofGuard } from '../../users/proof-guard.js';
import type { User } from '../../users/user.entity.js';
import { SsoSessionsService } from '../session/sso-sessions.service.js';
import { SignInCompletionService } from '../entry/sign-in-completion.service.js';
import { answerTo, type AuthorizationAnswer, failureAnswer } from './authorization-answer.rules.js';
import { deliversTokens } from './authorization-request.rules.js';
import { attemptProof } from './identification.service.js';
import { SignInAttemptsRepository } from './sign-in-attempts.repository.js';
import type { SignInState } from './sign-in-step.js';

/** The one end of every hosted sign-in: http(s) gets a code, never a token; a native scheme without PKCE the tokens. */
@Injectable()
export class SignInDelivery {
  constructor(
    private readonly attempts: SignInAttemptsRepository,
    private readonly completion: SignInCompletionService,
    private readonly codes: AuthorizationCodesService,
    private readonly refreshTokens: RefreshTokensService,
    private readonly issuer: TokenIssuer,
    private readonly sessions: SsoSessionsService,
    private readonly proofs: ProofGuard,
    private readonly transactions: Transactions,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @returns what the app is told, or null where another request has finished the attempt or ended the session */
  async finish(ctx: RequestContext, state: SignInState & { user: User }): Promise<AuthorizationAnswer | null> {
    const { request } = state.attempt;
    if (request.purpose === 'account') return this.deliverAccount(ctx, state);
    // Begun by an invite or before the app demanded it: the app begins a sign-in of its own, and the session completes it.
    const { config } = state.known.app;
    if (demandsPkce(config) && request.codeChallenge === null)
      return failureAnswer(request, 'login_required', this.settings.baseUrl);
    return deliversTokens(request, config) ? this.deliverTokens(ctx, state) : this.deliverCode(ctx, state);
  }

  /**
   * For somebody who is suspended there: the app hears it, once. The attempt ends with that, or each reload of its
   * address would write another entry that nobody can delete.
   * @returns as {@link finish}
   */
  turnAway(
    ctx: RequestContext,
    { attempt, known, user }: SignInState & { user: User },
  ): Promise<AuthorizationAnswer | null> {
    return this.transactions.run(async (tx) => {
      if (!(await this.attempts.finish(tx, attempt.id))) return null;
      await this.completion.recordRefusalIn(tx, ctx, user, known, 'suspended');
      return failureAnswer(attempt.request, 'account_suspended', this.settings.baseUrl);
    });
  }

  /** The session is all that the account page needs. */
  private async deliverAccount(
    ctx: RequestContext,
    state: SignInState & { user: User },
  ): Promise<AuthorizationAnswer | null> {
    const { redirectUri } = state.attempt.request;
    return this.complete(ctx, state, () => Promise.resolve({ redirectUri, mode: 'query' as const, parameters: {} }));
  }

  private async deliverCode(
    ctx: RequestContext,
    state: SignInState & { user: User },
  ): Promise<AuthorizationAnswer | null> {
    const { request } = state.attempt;
    const code = await this.complete(ctx, state, (tx, held, facts) =>
      this.codes.issue(tx, held, {
        ...facts,
        redirectUri: request.redirectUri,
        codeChallenge: request.codeChallenge,
        nonce: request.nonce,
      }),
    );
    return code === null ? null : answerTo(request, this.settings.baseUrl, { code });
  }

  private async deliverTokens(
    ctx: RequestContext,
    state: SignInState & { user: User },
  ): Promise<AuthorizationAnswer | null> {
    const { known, user, attempt } = state;
    const { request } = attempt;
    const grant = await this.complete(ctx, state, (tx, held, facts, roles) =>
      this.refreshTokens.begin(tx, held, { user, roles, app: known.app, facts, nonce: request.nonce }),
    );
    if (grant === null) return null;
    const { access_token, refresh_token } = await this.issuer.respond(grant, 'sign_in');
    return answerTo(request, this.settings.baseUrl, { access_token, refresh_token });
  }

  /**
   * One transaction: the attempt is finished once, what it gives is made, and the audit entry stands beside it.
   * @throws ProofOutdated, EntryRefused
   */
  private complete<T>(
    ctx: RequestContext,
    { attempt, known, user }: SignInState & { user: User },
    make: (tx: EntityManager, held: HeldProof, facts: SignInFacts, roles: readonly string[]) => Promise<T>,
  ): Promise<T | null> {
    const { deviceId, scope, claims } = attempt.request;
    const facts = {
      appId: known.app.id,
      deviceId,
      scope,
      claims: requestedClaims(claims, scope),
      authTime: attempt.authTime!,
      amr: attempt.amr,
      sid: attempt.sid,
    };
    return this.transactions.run(async (tx) => {
      // What was shown when the attempt began, minutes ago, must still be true.
      const held = await this.proofs.hold(tx, attemptProof(attempt));
      // Whoever signs out now waits for it, or has been there first.
      if (facts.sid && !(await this.sessions.holds(tx, held.userId, facts.sid))) return null;
      if (!(await this.attempts.finish(tx, attempt.id))) return null;
      const via = attempt.request.purpose === 'account' ? 'account' : attempt.viaSso ? 'sso' : 'hosted';
      const roles = await this.completion.enter(tx, ctx, held, { user, known, amr: attempt.amr, via });
      return make(tx, held, facts, roles);
    });
  }
}
