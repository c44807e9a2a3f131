import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RequestContext } from '../../../common/request-context.js';
import type { HeldProof } from '../../../users/proof-guard.js';
import { ProofOutdated } from '../../../users/proof-outdated.js';
import { ProofTransactions } from '../../../users/proof-transactions.js';
import type { User } from '../../../users/user.entity.js';
import { isShutOut } from '../../entry/entry.rules.js';
import { SignInCompletionService } from '../../entry/sign-in-completion.service.js';
import { type SessionFacts, SsoSessionsService } from '../../session/sso-sessions.service.js';
import type { HostedRequest } from './hosted-request.js';
import { attemptProof } from './attempt-proof.js';
import { SignInAttemptsRepository } from './sign-in-attempts.repository.js';
import type { SignInState } from './sign-in-step.js';

/** Between the first factor and the page after it. */
const MOST_SECONDS = 300;

interface OpenedSession {
  readonly token: string;
  readonly sid: string;
}

/**
 * When the browser's session begins in a hosted sign-in: with the first factor for users who have no second one, else as soon as
 * none is asked for in this sign-in, or with it.
 */
@Injectable()
export class AttemptSessions {
  constructor(
    private readonly sessions: SsoSessionsService,
    private readonly attempts: SignInAttemptsRepository,
    private readonly completion: SignInCompletionService,
    private readonly proofs: ProofTransactions,
  ) {}

  open(
    tx: EntityManager,
    ctx: RequestContext,
    held: HeldProof,
    shown: SessionFacts,
    presented: string | null,
  ): Promise<OpenedSession> {
    return this.sessions.open(tx, ctx, held, shown, presented);
  }

  /** With the first factor. @returns null where a second one may be asked for: only {@link begin} knows the app */
  async openAtOnce(
    tx: EntityManager,
    ctx: RequestContext,
    held: HeldProof,
    { user, shown, presented }: { user: Pick<User, 'totpEnabledAt'>; shown: SessionFacts; presented: string | null },
  ): Promise<OpenedSession | null> {
    const { totpEnabledAt } = user;
    const isToWait = await this.completion.mayAskForSecondFactor({ id: held.userId, totpEnabledAt }, shown.amr, tx);
    return isToWait ? null : this.open(tx, ctx, held, shown, presented);
  }

  /**
   * Before an attempt goes on: the session of a user who has a passkey, and whom this app does not ask for it.
   * @returns the state with it; without a user, if the first factor was given long ago
   */
  async begin(hosted: HostedRequest, state: SignInState): Promise<SignInState> {
    const { attempt, user } = state;
    if (!user || attempt.sid !== null || attempt.finishedAt || hasToWait(state)) return state;
    if (!isWithinSessionStart(state)) return { ...state, user: null, entry: null };
    try {
      const sid = await this.beginOnce(hosted, state);
      return { ...state, attempt: { ...attempt, sid } };
    } catch (error) {
      // The next step says it.
      if (error instanceof ProofOutdated) return state;
      throw error;
    }
  }

  /** Of two requests at once, one opens it, and both have it. @returns its name */
  private async beginOnce({ ctx, request, response }: HostedRequest, { attempt }: SignInState): Promise<string | null> {
    const begun = await this.proofs.run(attemptProof(attempt), async (tx, held) => {
      const sid = await this.attempts.holdSid(tx, attempt.id);
      if (sid !== null) return { sid, token: null };
      const shown = { authTime: attempt.authTime!, amr: attempt.amr };
      const opened = await this.open(tx, ctx, held, shown, this.sessions.presented(request));
      const isWritten = await this.attempts.strengthen(tx, held, attempt.id, { ...shown, sid: opened.sid });
      if (!isWritten) throw new ProofOutdated();
      return opened;
    });
    if (begun.token !== null) this.sessions.send(response, begun.token);
    return begun.sid;
  }
}

/** Another person may use the browser later: they begin with the first factor. */
export function isWithinSessionStart({ credentialsAge }: Pick<SignInState, 'credentialsAge'>): boolean {
  return (credentialsAge ?? 0) <= MOST_SECONDS;
}

/** Where the user has to show a second factor, or the app would like it, or what is said comes before that question. */
function hasToWait({ entry, acr }: SignInState): boolean {
  if (entry === null || entry === 'method_not_allowed' || isShutOut(entry)) return true;
  return entry === 'second_factor_due' || (entry === 'enter' && acr === 'second_factor');
}
