import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { BrowserBinding } from '../../session/browser-binding.js';
import { SsoSessionsService } from '../../session/sso-sessions.service.js';
import { BrowserAttempts } from './browser-attempts.js';
import { isWithinSessionStart } from './attempt-sessions.service.js';
import { SignInAttempts } from './sign-in-attempts.service.js';
import type { SignInState } from './sign-in-step.js';
import { SignInExpired } from '../authorization-request/sign-in.errors.js';

/** An attempt as this browser may see it now, and the browser secret that it is bound to. */
export interface OpenAttempt {
  readonly state: SignInState;
  readonly secret: string;
}

/**
 * Opens the attempt that a request names: only in its own browser, and without its user once the browser has signed
 * out.
 */
@Injectable()
export class AttemptAccess {
  constructor(
    private readonly browserAttempts: BrowserAttempts,
    private readonly attempts: SignInAttempts,
    private readonly sessions: SsoSessionsService,
    private readonly browser: BrowserBinding,
  ) {}

  /** @throws SignInExpired */
  async open(attemptId: unknown, request: Request): Promise<OpenAttempt> {
    const found = await this.browserAttempts.find(attemptId, request);
    if (!found) throw new SignInExpired();
    const { attempt, secret } = found;
    // After a sign-out (also by a reset), the attempt continues without a user, because others may use the browser.
    const state = await this.attempts.readState(attempt);
    if (!state) throw new SignInExpired();
    const isTheirs = hasNoSessionYet(state) || (await this.sessions.find(request))?.userId === attempt.userId;
    return { state: isTheirs ? state : { ...state, user: null, entry: null }, secret };
  }

  /**
   * As {@link open}, for a form on one of the pages of the attempt.
   * @throws CrossSiteRequest, SignInExpired
   */
  async openForForm(attemptId: string, request: Request): Promise<OpenAttempt> {
    this.browser.checkAttemptForm(request, attemptId);
    return this.open(attemptId, request);
  }
}

/**
 * Whether no user is identified, or one has shown a first factor only minutes ago and has no session yet because a
 * second factor may be required: see `AttemptSessions`.
 */
function hasNoSessionYet(state: SignInState): boolean {
  const { userId, sid } = state.attempt;
  return userId === null || (sid === null && isWithinSessionStart(state));
}
