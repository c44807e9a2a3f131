import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { ProviderName } from '../../../config/provider-settings.js';
import { BrowserAttempts } from '../../hosted-sign-in/attempts/browser-attempts.js';
import { attemptUri } from '../../hosted-sign-in/redirects/attempt-redirect.js';
import { SignInExpired } from '../../hosted-sign-in/authorization-request/sign-in.errors.js';
import { SignInAttempts } from '../../hosted-sign-in/attempts/sign-in-attempts.service.js';
import type { StartedAttempt } from './app-start.js';
import type { PreparedRequest } from '../pages/prepared-request.js';
import { redirectTo } from '../../../common/http/redirect-to.js';
import { isHint } from './start.rules.js';

/** Continues a sign-in from a provider button on our sign-in page. */
@Injectable()
export class PageStart {
  constructor(
    private readonly signIns: SignInAttempts,
    private readonly attempts: BrowserAttempts,
  ) {}

  /**
   * @returns null if the attempt is already finished; the request is answered then
   * @throws SignInExpired if the attempt belongs to another browser or has expired
   */
  async resume(provider: ProviderName, request: PreparedRequest, response: Response): Promise<StartedAttempt | null> {
    const found = await this.attempts.find(request.query['attempt'], request);
    const state = found && (await this.signIns.readState(found.attempt));
    if (!state) throw new SignInExpired();
    if (state.attempt.finishedAt) {
      redirectTo(response, attemptUri(state.attempt.id));
      return null;
    }
    const { loginHint, prompt } = state.attempt.request;
    const hints = {
      loginHint: loginHint !== null && isHint(loginHint) ? loginHint : null,
      prompt: prompt === 'login' ? prompt : null,
    };
    return { attempt: { state, secret: found.secret, provider, fromPage: true }, hints };
  }
}
