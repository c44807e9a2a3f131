import { Injectable, Logger } from '@nestjs/common';
import type { Response } from 'express';
import type { ProviderName } from '../../../config/provider-settings.js';
import { allowsMethod } from '../../entry/methods/allows-method.rules.js';
import { AttemptAccess } from '../../hosted-sign-in/attempts/attempt-access.js';
import { attemptUri } from '../../hosted-sign-in/redirects/attempt-redirect.js';
import { SignInExpired } from '../../hosted-sign-in/authorization-request/sign-in.errors.js';
import { failureIn } from './callback.rules.js';
import type { PassportInput, PreparedRequest, ProviderAttempt, ProviderPurpose } from '../pages/prepared-request.js';
import type { ProviderStrategy } from '../protocol/provider-strategy.js';
import { ProviderLinking } from '../pages/provider-linking.js';
import { ProviderPages } from '../pages/provider-pages.js';
import { redirectTo } from '../../../common/http/redirect-to.js';
import { ProviderStates, type UsedState } from '../state/provider-states.service.js';

/**
 * Checks a callback before its code is redeemed. The state is checked and used up first, even if the URL contains an
 * `error`: an attacker may have written the other parameters.
 */
@Injectable()
export class ProviderCallback {
  private readonly logger = new Logger(ProviderCallback.name);

  constructor(
    private readonly states: ProviderStates,
    private readonly attempts: AttemptAccess,
    private readonly linking: ProviderLinking,
    private readonly pages: ProviderPages,
  ) {}

  /**
   * @returns null if the request has been answered
   * @throws SignInExpired if the state is missing, used, expired, of another browser or of another provider
   */
  async prepare(
    provider: ProviderName,
    strategy: ProviderStrategy,
    request: PreparedRequest,
    response: Response,
  ): Promise<PassportInput | null> {
    const used = await this.states.use(request);
    if (!used) throw new SignInExpired();
    const purpose = used.linkUserId
      ? await this.linking.returned(provider, used.linkUserId, request)
      : await this.signIn(provider, used, request, response);
    if (!purpose) return null;
    const { failure, reason } = failureIn(request.query, strategy);
    if (reason) this.logger.warn(`${provider}: ${reason}`);
    return { purpose, options: null, failure };
  }

  private async signIn(
    provider: ProviderName,
    { attemptId, fromPage }: UsedState,
    request: PreparedRequest,
    response: Response,
  ): Promise<ProviderPurpose | null> {
    const { state, secret } = await this.attempts.open(attemptId, request);
    const attempt: ProviderAttempt = { state, secret, provider, fromPage };
    if (state.attempt.finishedAt) redirectTo(response, attemptUri(state.attempt.id));
    // Checked again, because an administrator may have switched the method off in the meantime.
    else if (!allowsMethod(state.client.app, provider)) await this.pages.fail(response, attempt, 'not_allowed');
    else return { kind: 'sign_in', attempt };
    return null;
  }
}
