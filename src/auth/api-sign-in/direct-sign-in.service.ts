import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RegisteredClient } from '../../apps/directory/app-directory.js';
import type { RequestContext } from '../../common/request-context.js';
import { TokenIssuer } from '../../tokens/grants/issuance/token-issuer.js';
import type { TokenResponse } from '../../tokens/protocol/token-response.view.js';
import type { Proof } from '../../users/proof.js';
import type { HeldProof } from '../../users/proof-guard.js';
import { ProofOutdated } from '../../users/proof-outdated.js';
import { ProofTransactions } from '../../users/proof-transactions.js';
import type { User } from '../../users/user.entity.js';
import { EntryRefused } from '../entry/entry-refused.js';
import { isShutOut } from '../entry/entry.rules.js';
import { EntryService } from '../entry/entry.service.js';
import {
  type IssuedTokens,
  type ContinuedSignIn,
  type AuthenticatedSignIn,
  SignInEnding,
} from '../sign-in/sign-in-ending.service.js';
import { type SecondFactorChallenge, type RefusedVerdict, SignInDemands } from './sign-in-demands.service.js';

/** A user who has authenticated and the app that they sign in to: the JSON counterpart of a hosted attempt. */
export interface DirectSignIn {
  readonly client: RegisteredClient;
  readonly user: User;
  readonly authTime: Date;
  /** RFC 8176, e.g. `['pwd']`. */
  readonly amr: readonly string[];
  readonly deviceId: string | null;
  /** The SSO cookie of the request, whose session is replaced. */
  readonly replacedSession: string | null;
  /** The user has not authenticated again: no SSO session begins, and the sign-in ends with that of the request. */
  readonly kept?: ContinuedSignIn;
  /** The credential was given to the app: it gets its own tokens, and no SSO session begins. */
  readonly beginsNoSession?: boolean;
  /** The credential cannot set up a second factor for the user, who must sign in for that. */
  readonly setsUpNoFactor?: boolean;
}

/** Tokens and, if a session began, the value of the SSO cookie. */
export interface SignedInResult {
  readonly tokens: TokenResponse;
  readonly ssoToken: string | null;
}

/** Tokens, or the request for a second factor. */
export type DirectSignInResult = SignedInResult | SecondFactorChallenge;

/** What a sign-in method adds to {@link DirectSignInService.complete}. */
export interface MethodProof {
  readonly proof: Proof;
  /** The error if the proof is outdated. */
  readonly whenOutdated: () => Error;
  /** Called in the same transaction, before anything is issued: uses up the credential. */
  readonly prove?: (tx: EntityManager, held: HeldProof) => Promise<void>;
}

/** Completes every sign-in by JSON, with any method: one decision, one transaction, one answer. */
@Injectable()
export class DirectSignInService {
  constructor(
    private readonly entry: EntryService,
    private readonly ending: SignInEnding,
    private readonly demands: SignInDemands,
    private readonly issuer: TokenIssuer,
    private readonly proofs: ProofTransactions,
  ) {}

  /** @throws the refusals that the OpenAPI document lists for POST /auth/login */
  async complete(ctx: RequestContext, signIn: DirectSignIn, method: MethodProof): Promise<DirectSignInResult> {
    try {
      return await this.decide(ctx, signIn, method);
    } catch (error) {
      if (!(error instanceof ProofOutdated)) throw error;
      await this.demands.recordRefusal(ctx, signIn, 'credentials_changed');
      throw method.whenOutdated();
    }
  }

  private async decide(
    ctx: RequestContext,
    signIn: DirectSignIn,
    { proof, prove }: MethodProof,
  ): Promise<DirectSignInResult> {
    const { client, user, amr } = signIn;
    const { verdict } = await this.entry.judge(user, client, amr);
    if (verdict === 'second_factor_due') return this.askSecondFactor(ctx, signIn, proof);
    if (verdict !== 'enter') {
      // Reasons that are checked after the second factor are only shown to users who have passed it.
      if (prove && !isShutOut(verdict)) await this.proofs.run(proof, prove);
      return this.refuse(ctx, signIn, proof, verdict);
    }
    try {
      const shown = shownBy(signIn, prove);
      return await this.answer(
        await this.proofs.run(proof, (tx, held) => this.ending.giveTokens(tx, ctx, held, shown)),
      );
    } catch (error) {
      if (!(error instanceof EntryRefused)) throw error;
      if (error.verdict === 'second_factor_due') return this.askSecondFactor(ctx, signIn, proof);
      return this.refuse(ctx, signIn, proof, error.verdict);
    }
  }

  /** A user with only passkeys must use one on the hosted page: a sign-in by JSON cannot set up another factor. */
  private async askSecondFactor(ctx: RequestContext, signIn: DirectSignIn, proof: Proof): Promise<DirectSignInResult> {
    const { client, user } = signIn;
    if (user.totpEnabledAt !== null) return this.demands.askSecondFactor(proof, client, signIn);
    return this.refuse(ctx, { ...signIn, setsUpNoFactor: true }, proof, 'second_factor_required');
  }

  /** Called after the commit. */
  async answer({ grant, ssoToken }: IssuedTokens): Promise<SignedInResult> {
    return { tokens: await this.issuer.respond(grant, 'sign_in'), ssoToken };
  }

  private async refuse(
    ctx: RequestContext,
    signIn: DirectSignIn,
    proof: Proof,
    verdict: RefusedVerdict,
  ): Promise<never> {
    const refusal = await this.demands.refusalOf(verdict, signIn.client, proof, signIn.setsUpNoFactor);
    await this.demands.recordRefusal(ctx, signIn, verdict);
    throw refusal;
  }
}

/** The input of the shared end of all sign-ins. JSON has no scopes, and cannot request a resource or single claims. */
export function shownBy(signIn: DirectSignIn, spend?: AuthenticatedSignIn['spend']): AuthenticatedSignIn {
  const { client, user, authTime, amr, deviceId } = signIn;
  const requested = { scope: null, resource: null, claims: null, nonce: null };
  return {
    client,
    user,
    authTime,
    amr,
    deviceId,
    session: sessionOf(signIn),
    ...requested,
    via: 'api',
    ...(spend ? { spend } : {}),
  };
}

function sessionOf({ kept, beginsNoSession, replacedSession }: DirectSignIn): AuthenticatedSignIn['session'] {
  if (kept) return { kind: 'kept', ...kept };
  return beginsNoSession ? { kind: 'none' } : { kind: 'new', replaced: replacedSession };
}
