import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { requestedClaims } from '../../../tokens/protocol/requested-claims.rules.js';
import type { HeldProof } from '../../../users/proof-guard.js';
import { keyOf } from '../../../rate-limits/counters/counter-keys.rules.js';
import { RateLimitsService } from '../../../rate-limits/rate-limits.service.js';
import { ProofTransactions } from '../../../users/proof-transactions.js';
import type { User } from '../../../users/user.entity.js';
import type { EntryRequest } from '../../entry/entry.service.js';
import type { AuthenticatedSignIn } from '../../sign-in/sign-in-ending.service.js';
import { SignInOver } from '../../sign-in/sign-in-over.js';
import { attemptProof } from '../attempts/attempt-proof.js';
import type { SignInAttempt } from '../attempts/sign-in-attempt.entity.js';
import { SignInAttemptsRepository } from '../attempts/sign-in-attempts.repository.js';
import type { SignInState } from '../attempts/sign-in-step.js';

/** A state with an identified user. */
export type IdentifiedState = SignInState & { readonly user: User };

/** Finishes an attempt: only once, and only with the identity that the attempt contains. */
@Injectable()
export class AttemptFinisher {
  constructor(
    private readonly attempts: SignInAttemptsRepository,
    private readonly proofs: ProofTransactions,
    private readonly limits: RateLimitsService,
  ) {}

  /**
   * The proof of the attempt, which may be minutes old, must still be valid; the attempt is finished once.
   * @throws ProofOutdated, SignInOver if another request was first, RateLimited
   */
  async finish<T>(
    state: IdentifiedState,
    give: (tx: EntityManager, held: HeldProof, signIn: AuthenticatedSignIn) => Promise<T>,
  ): Promise<T> {
    const { attempt } = state;
    if (attempt.viaSso) await this.limits.consume('continued_sign_ins', continuedKey(state));
    const spend = (tx: EntityManager) => this.finishOnce(tx, attempt);
    return this.proofs.run(attemptProof(attempt), (tx, held) => give(tx, held, { ...shownBy(state), spend }));
  }

  /** @throws SignInOver if another request was first, or another window has changed the user */
  private async finishOnce(tx: EntityManager, attempt: SignInAttempt): Promise<void> {
    if (!(await this.attempts.finish(tx, attempt))) throw new SignInOver();
  }
}

/** An app must not use up the limit of others, nor that of the account page. */
function continuedKey({ attempt: { request }, client, user }: IdentifiedState): string {
  return keyOf(user.id, request.purpose === 'account' ? 'account' : client.app.id);
}

function shownBy(state: IdentifiedState): AuthenticatedSignIn {
  const { attempt, client, user } = state;
  const { deviceId, scope, resource, claims, acr, nonce } = attempt.request;
  return {
    client,
    user,
    via: viaOf(attempt),
    authTime: attempt.authTime!,
    amr: attempt.amr,
    session: { kind: 'begun', sid: attempt.sid },
    deviceId,
    scope,
    resource: resource ?? null,
    claims: requestedClaims(claims, scope, acr),
    nonce,
  };
}

function viaOf({ request: { purpose }, viaSso }: SignInAttempt): EntryRequest['via'] {
  if (purpose !== 'app') return purpose;
  return viaSso ? 'sso' : 'hosted';
}
