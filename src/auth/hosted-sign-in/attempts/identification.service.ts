import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock.js';
import type { RequestContext } from '../../../common/request-context.js';
import { Transactions } from '../../../database/transactions.js';
import { proofOf } from '../../../users/proof.js';
import { type HeldProof, ProofGuard } from '../../../users/proof-guard.js';
import type { User } from '../../../users/user.entity.js';
import { isKeyAlone } from '../../credentials/passkeys/stored/passkey.rules.js';
import { InvalidPasskey } from '../../credentials/passkeys/stored/passkeys.errors.js';
import { hasShownSecondFactor, SECOND_FACTOR_AMR } from '../../credentials/second-factor/stored/second-factor.rules.js';
import { AttemptSessions } from './attempt-sessions.service.js';
import type { SignInAttempt } from './sign-in-attempt.entity.js';
import { SignInAttemptsRepository } from './sign-in-attempts.repository.js';
import { SignInExpired } from '../authorization-request/sign-in.errors.js';

/** A user whose first factor was checked elsewhere. */
export interface ProvenUser {
  readonly held: HeldProof;
  /** The user as of now, with the changes that the proof itself has made. */
  readonly user: User;
  readonly amr: readonly string[];
}

/** The common end of every factor of a hosted sign-in: stores in the attempt which user has authenticated, and how. */
@Injectable()
export class Identification {
  constructor(
    private readonly attempts: SignInAttemptsRepository,
    private readonly sessions: AttemptSessions,
    private readonly proofs: ProofGuard,
    private readonly clock: Clock,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Identifies the user in a new transaction, for a first factor that was shown elsewhere.
   * @param prove uses up the proof of the user; returns null if it proves no user
   * @returns null if no user is proven, else as {@link identify}
   */
  identifyProven(
    ctx: RequestContext,
    attemptId: string,
    prove: (tx: EntityManager) => Promise<ProvenUser | null>,
    presented: string | null,
  ): Promise<{ ssoToken: string | null } | null> {
    return this.transactions.run(async (tx) => {
      const proven = await prove(tx);
      if (!proven) return null;
      const { held, user, amr } = proven;
      return { ssoToken: await this.identifyHeld(tx, ctx, held, attemptId, user, amr, presented) };
    });
  }

  /**
   * Called after a first factor, in its transaction. Opens the session of the browser, unless a second factor may be
   * required: nothing is issued before that (security 17).
   * @param user as it was when the factor was shown
   * @param amr how the user has authenticated, e.g. `['pwd']` (RFC 8176)
   * @param presented value of the SSO cookie of the request; its session is replaced
   * @returns the value of the new cookie for `SsoSessionsService.send`; null while there is no session
   * @throws ProofOutdated
   */
  async identify(
    tx: EntityManager,
    ctx: RequestContext,
    attemptId: string,
    user: Pick<User, 'id' | 'totpEnabledAt' | 'credentialsVersion'>,
    amr: readonly string[],
    presented: string | null,
  ): Promise<string | null> {
    const held = await this.proofs.hold(tx, proofOf(user));
    return this.identifyHeld(tx, ctx, held, attemptId, user, amr, presented);
  }

  /** As {@link identify}, for a transaction that has held the proof since before it changed the account. */
  async identifyHeld(
    tx: EntityManager,
    ctx: RequestContext,
    held: HeldProof,
    attemptId: string,
    user: Pick<User, 'totpEnabledAt'>,
    amr: readonly string[],
    presented: string | null,
  ): Promise<string | null> {
    const shown = { authTime: this.clock.now(), amr: [...amr] };
    const session = await this.sessions.openAtOnce(tx, ctx, held, { user, shown, presented });
    await this.attempts.identify(tx, held, attemptId, { ...shown, sid: session?.sid ?? null });
    return session?.token ?? null;
  }

  /** The user continues without the `acr` that the app has asked for. */
  skipAcr({ id }: SignInAttempt): Promise<void> {
    return this.attempts.dropAcr(id);
  }

  /**
   * Called after a second factor: opens a session with it in `amr`.
   * @param shownBy the second factor (RFC 8176)
   * @param held the proof of the attempt: see {@link attemptProof}
   * @throws InvalidPasskey if a key was touched as the first factor, and is touched again, or another one is
   * @throws SignInExpired if a reset, another window or the time limit of one hour has ended the attempt in the
   * meantime
   */
  async strengthen(
    tx: EntityManager,
    ctx: RequestContext,
    held: HeldProof,
    { id, authTime, amr }: SignInAttempt,
    presented: string | null,
    shownBy: readonly string[] = SECOND_FACTOR_AMR,
  ): Promise<string> {
    // The models that a tenant accepts make no difference: they decide what counts there, not how many factors there are.
    if (isKeyAlone(amr) && !hasShownSecondFactor(shownBy)) throw new InvalidPasskey('challenge');
    const shown = { authTime: authTime!, amr: [...new Set([...amr, ...shownBy, 'mfa'])] };
    const { token, sid } = await this.sessions.open(tx, ctx, held, shown, presented);
    if (!(await this.attempts.strengthen(tx, held, id, { ...shown, sid }))) throw new SignInExpired();
    return token;
  }
}
