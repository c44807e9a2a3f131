import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RequestContext } from '../../../common/request-context.js';
import type { HeldProof } from '../../../users/proof-guard.js';
import { ProofOutdated } from '../../../users/proof-outdated.js';
import { ProofTransactions } from '../../../users/proof-transactions.js';
import type { User } from '../../../users/user.entity.js';
import { isShutOut } from '../../entry/entry.rules.js';
import { EntryService } from '../../entry/entry.service.js';
import type { SessionFacts } from '../../session/session-replacement.js';
import { SsoSessionsService } from '../../session/sso-sessions.service.js';
import { SignInOver } from '../../sign-in/sign-in-over.js';
import type { HostedRequest } from './hosted-request.js';
import { attemptProof } from './attempt-proof.js';
import { SignInAttemptsRepository } from './sign-in-attempts.repository.js';
import type { SignInState } from './sign-in-step.js';

/** Maximum time between the first factor and the page after it. */
const MAX_AGE_SECONDS = 300;

interface OpenedSession {
  readonly token: string;
  readonly sid: string;
}

/**
 * Decides when a hosted sign-in opens the session of the browser. For users without a second factor: with the first
 * factor. For others: with the second factor, or as soon as it is known that this sign-in does not ask for one.
 */
@Injectable()
export class AttemptSessions {
  constructor(
    private readonly sessions: SsoSessionsService,
    private readonly attempts: SignInAttemptsRepository,
    private readonly entry: EntryService,
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

  /**
   * Called with the first factor.
   * @returns null if a second factor may be required, which only {@link begin} can decide, because it depends on the
   * app
   */
  async openAtOnce(
    tx: EntityManager,
    ctx: RequestContext,
    held: HeldProof,
    { user, shown, presented }: { user: Pick<User, 'totpEnabledAt'>; shown: SessionFacts; presented: string | null },
  ): Promise<OpenedSession | null> {
    const { totpEnabledAt } = user;
    const isToWait = await this.entry.mayAskForSecondFactor({ id: held.userId, totpEnabledAt }, shown.amr, tx);
    return isToWait ? null : this.open(tx, ctx, held, shown, presented);
  }

  /**
   * Called before an attempt continues: opens the session of a user who has a passkey that this app does not ask for.
   * @returns the state with the session; without a user if the first factor was shown too long ago
   */
  async begin(hosted: HostedRequest, state: SignInState): Promise<SignInState> {
    const { attempt, user } = state;
    if (!user || attempt.sid !== null || attempt.finishedAt || hasToWait(state)) return state;
    if (!isWithinSessionStart(state)) return { ...state, user: null, entry: null };
    try {
      const sid = await this.beginOnce(hosted, state);
      return { ...state, attempt: { ...attempt, sid } };
    } catch (error) {
      // Another window has removed the user of the attempt, or identified another one.
      if (error instanceof SignInOver) return { ...state, user: null, entry: null };
      // The next step shows the error.
      if (error instanceof ProofOutdated) return state;
      throw error;
    }
  }

  /**
   * Of two concurrent requests, one opens the session, and both return it.
   * @returns its `sid`
   */
  private async beginOnce({ ctx, request, response }: HostedRequest, { attempt }: SignInState): Promise<string | null> {
    const begun = await this.proofs.run(attemptProof(attempt), async (tx, held) => {
      const sid = await this.attempts.holdSid(tx, attempt.id);
      if (sid !== null) return { sid, token: null };
      const shown = { authTime: attempt.authTime!, amr: attempt.amr };
      const opened = await this.open(tx, ctx, held, shown, this.sessions.presented(request));
      const isWritten = await this.attempts.strengthen(tx, held, attempt.id, { ...shown, sid: opened.sid });
      if (!isWritten) throw new SignInOver();
      return opened;
    });
    if (begun.token !== null) this.sessions.send(response, begun.token);
    return begun.sid;
  }
}

/**
 * Whether the first factor is recent enough to open the session. Another person may use the browser later, and must
 * begin with the first factor.
 */
export function isWithinSessionStart({ credentialsAge }: Pick<SignInState, 'credentialsAge'>): boolean {
  return (credentialsAge ?? 0) <= MAX_AGE_SECONDS;
}

/**
 * Whether the session must wait: the user must show a second factor, the app would like one, or entry is refused before
 * that question.
 */
function hasToWait({ entry, acr }: SignInState): boolean {
  if (entry === null || entry === 'method_not_allowed' || isShutOut(entry)) return true;
  return entry === 'second_factor_due' || (entry === 'enter' && acr === 'second_factor');
}
