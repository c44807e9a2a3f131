import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock.js';
import type { RequestContext } from '../../../common/request-context.js';
import { Transactions } from '../../../database/transactions.js';
import { proofOf } from '../../../users/proof.js';
import { type HeldProof, ProofGuard } from '../../../users/proof-guard.js';
import type { User } from '../../../users/user.entity.js';
import { SECOND_FACTOR_AMR } from '../../credentials/second-factor/stored/second-factor.rules.js';
import { AttemptSessions } from './attempt-sessions.service.js';
import type { SignInAttempt } from './sign-in-attempt.entity.js';
import { SignInAttemptsRepository } from './sign-in-attempts.repository.js';
import { SignInExpired } from '../authorization-request/sign-in.errors.js';

/** A user whose first factor was checked elsewhere. */
export interface ProvenUser {
  readonly held: HeldProof;
  /** As they are now, with what the proof itself has changed. */
  readonly user: User;
  readonly amr: readonly string[];
}

/** What every factor of a hosted sign-in ends with: the attempt knows who it is, and how they have shown it. */
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
   * In its own transaction, for a first factor that was given elsewhere.
   * @param prove uses up what proves the user; null: it proves no user
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
   * After a first factor, in its transaction. The browser's session begins with it, unless a second factor may be asked for:
   * nothing is handed out before that (security 17).
   * @param user as it was when the factor was shown
   * @param amr how they have shown it, e.g. `['pwd']` (RFC 8176)
   * @param presented the SSO cookie that came along; its session is replaced
   * @returns the new cookie's value for `SsoSessionsService.send`, or null while there is none
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

  /** As {@link identify}, where the proof has been held since before the transaction changed the account. */
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
   * After the second factor: its own session, which says so.
   * @param shownBy what it was (RFC 8176)
   * @param held the proof of the attempt: see {@link attemptProof}
   * @throws SignInExpired where a reset, another window or the hour has ended the attempt meanwhile
   */
  async strengthen(
    tx: EntityManager,
    ctx: RequestContext,
    held: HeldProof,
    { id, authTime, amr }: SignInAttempt,
    presented: string | null,
    shownBy: readonly string[] = SECOND_FACTOR_AMR,
  ): Promise<string> {
    const shown = { authTime: authTime!, amr: [...new Set([...amr, ...shownBy, 'mfa'])] };
    const { token, sid } = await this.sessions.open(tx, ctx, held, shown, presented);
    if (!(await this.attempts.strengthen(tx, held, id, { ...shown, sid }))) throw new SignInExpired();
    return token;
  }
}
