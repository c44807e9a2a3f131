import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import { responseUri } from '../../hosted-sign-in/authorization-request/authorization-response.rules.js';
import type { SignInAttempt } from '../../hosted-sign-in/attempts/sign-in-attempt.entity.js';
import type { HostedRequest } from '../../hosted-sign-in/attempts/hosted-request.js';
import { attemptUri } from '../../hosted-sign-in/redirects/attempt-redirect.js';
import { SignInAttempts } from '../../hosted-sign-in/attempts/sign-in-attempts.service.js';
import { SignInService } from '../../hosted-sign-in/completion/sign-in.service.js';
import { InvalidOauthToken } from '../pending/provider.errors.js';

/** Continues a sign-in after an invite was accepted over JSON. */
@Injectable()
export class InviteContinuation {
  constructor(
    private readonly attempts: SignInAttempts,
    private readonly signIns: SignInService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * @returns the URL to send the browser to: the app with the result, or the page of the attempt
   * @throws InvalidOauthToken if the attempt has expired, or its app was switched off or has removed the redirect URI
   */
  async uriOf(hosted: HostedRequest, attempt: SignInAttempt): Promise<string> {
    const current = await this.attempts.find(attempt.id, attempt.browserHash);
    const state = current && (await this.attempts.readState(current));
    if (!state) throw new InvalidOauthToken();
    // The response mode needs a form, which only a hosted page can post: the page of the attempt sends the result.
    if (attempt.request.responseMode === 'form_post') return this.settings.baseUrl + attemptUri(attempt.id);
    const next = await this.signIns.proceed(hosted, state);
    switch (next.kind) {
      case 'answer':
        return responseUri(next.answer);
      case 'page':
      case 'restart':
        return this.settings.baseUrl + attemptUri(attempt.id);
    }
  }
}
