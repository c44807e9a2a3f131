import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { ProviderName } from '../../../config/provider-settings.js';
import { AttemptAccess } from '../../hosted-sign-in/attempts/attempt-access.js';
import { attemptUri } from '../../hosted-sign-in/redirects/attempt-redirect.js';
import type { StartedAttempt } from './app-start.js';
import type { PreparedRequest } from '../pages/prepared-request.js';
import { redirectTo } from '../../../common/http/redirect-to.js';
import { isHint } from './start.rules.js';

/** Continues a sign-in from a provider button on our sign-in page. */
@Injectable()
export class PageStart {
  constructor(private readonly attempts: AttemptAccess) {}

  /**
   * @returns null if the attempt is already finished; the request is answered then
   * @throws SignInExpired if the attempt belongs to another browser or has expired
   */
  async resume(provider: ProviderName, request: PreparedRequest, response: Response): Promise<StartedAttempt | null> {
    const { state, secret } = await this.attempts.open(request.query['attempt'], request);
    if (state.attempt.finishedAt) {
      redirectTo(response, attemptUri(state.attempt.id));
      return null;
    }
    const { loginHint, prompt } = state.attempt.request;
    const hints = {
      loginHint: loginHint !== null && isHint(loginHint) ? loginHint : null,
      prompt: prompt === 'login' ? prompt : null,
    };
    return { attempt: { state, secret, provider, fromPage: true }, hints };
  }
}
