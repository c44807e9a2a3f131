import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { demandsPkce } from '../../apps/app-config.rules.js';
import type { RequestContext } from '../../common/request-context.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { requestedClaims } from '../../tokens/protocol/requested-claims.rules.js';
import { TokenIssuer } from '../../tokens/grants/token-issuer.js';
import type { HeldProof } from '../../users/proof-guard.js';
import { ProofTransactions } from '../../users/proof-transactions.js';
import type { User } from '../../users/user.entity.js';
import { type ShownSignIn, SignInEnding } from '../sign-in/sign-in-ending.service.js';
import { SignInOver } from '../sign-in/sign-in-over.js';
import { answerTo, type AuthorizationAnswer, failureAnswer } from './authorization-answer.rules.js';
import { deliversTokens } from './authorization-request.rules.js';
import { attemptProof } from './identification.service.js';
import type { SignInAttempt } from './sign-in-attempt.entity.js';
import { SignInAttemptsRepository } from './sign-in-attempts.repository.js';
import type { SignInState } from './sign-in-step.js';

/** A state with an identified user. */
export type IdentifiedState = SignInState & { readonly user: User };

/** What a hosted sign-in answers the app: http(s) gets a code, never a token; a native scheme without PKCE the tokens. */
@Injectable()
export class SignInDelivery {
  constructor(
    private readonly attempts: SignInAttemptsRepository,
    private readonly ending: SignInEnding,
    private readonly issuer: TokenIssuer,
    private readonly proofs: ProofTransactions,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * @returns the answer for the app, or null if another request has finished the attempt or ended the session
   * @throws ProofOutdated, EntryRefused
   */
  async finish(ctx: RequestContext, state: IdentifiedState): Promise<AuthorizationAnswer | null> {
    try {
      return await this.deliver(ctx, state);
    } catch (error) {
      if (error instanceof SignInOver) return null;
      throw error;
    }
  }

  private async deliver(ctx: RequestContext, state: IdentifiedState): Promise<AuthorizationAnswer> {
    const { request } = state.attempt;
    if (request.purpose === 'account') return this.deliverAccount(ctx, state);
    // Begun by an invite or before the app demanded it: the app begins a sign-in of its own, and the session completes it.
    const { config } = state.client.app;
    const lacksChallenge = demandsPkce(config) && request.codeChallenge === null;
    if (lacksChallenge || (config.require_par && !request.pushed))
      return failureAnswer(request, 'login_required', this.settings.baseUrl);
    return deliversTokens(request, config) ? this.deliverTokens(ctx, state) : this.deliverCode(ctx, state);
  }

  /** The session is all that the account page needs. */
  private async deliverAccount(ctx: RequestContext, state: IdentifiedState): Promise<AuthorizationAnswer> {
    await this.end(state, (tx, held, signIn) => this.ending.giveSession(tx, ctx, held, signIn));
    return { redirectUri: state.attempt.request.redirectUri, mode: 'query', parameters: {} };
  }

  private async deliverCode(ctx: RequestContext, state: IdentifiedState): Promise<AuthorizationAnswer> {
    const { request } = state.attempt;
    const { redirectUri, codeChallenge, dpopJkt } = request;
    const binding = { redirectUri, codeChallenge, dpopJkt };
    const code = await this.end(state, (tx, held, signIn) => this.ending.giveCode(tx, ctx, held, signIn, binding));
    return answerTo(request, this.settings.baseUrl, { code });
  }

  private async deliverTokens(ctx: RequestContext, state: IdentifiedState): Promise<AuthorizationAnswer> {
    const { grant } = await this.end(state, (tx, held, signIn) => this.ending.giveTokens(tx, ctx, held, signIn));
    const { access_token, refresh_token } = await this.issuer.respond(grant, 'sign_in');
    return answerTo(state.attempt.request, this.settings.baseUrl, { access_token, refresh_token });
  }

  /** What was shown when the attempt began, minutes ago, must still be true; the attempt is finished once. */
  private end<T>(
    state: IdentifiedState,
    give: (tx: EntityManager, held: HeldProof, signIn: ShownSignIn) => Promise<T>,
  ): Promise<T> {
    const { attempt } = state;
    const spend = (tx: EntityManager) => this.finishOnce(tx, attempt);
    return this.proofs.run(attemptProof(attempt), (tx, held) => give(tx, held, { ...shownBy(state), spend }));
  }

  /** @throws SignInOver where another request was first */
  private async finishOnce(tx: EntityManager, { id }: SignInAttempt): Promise<void> {
    if (!(await this.attempts.finish(tx, id))) throw new SignInOver();
  }
}

function shownBy({ attempt, client, user }: IdentifiedState): ShownSignIn {
  const { purpose, deviceId, scope, claims, acr, nonce } = attempt.request;
  return {
    client,
    user,
    via: purpose === 'account' ? 'account' : attempt.viaSso ? 'sso' : 'hosted',
    authTime: attempt.authTime!,
    amr: attempt.amr,
    session: { kind: 'begun', sid: attempt.sid },
    deviceId,
    scope,
    claims: requestedClaims(claims, scope, acr),
    nonce,
  };
}
