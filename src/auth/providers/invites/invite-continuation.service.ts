import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import { answerUri } from '../../hosted-sign-in/authorization-request/authorization-answer.rules.js';
import type { SignInAttempt } from '../../hosted-sign-in/attempts/sign-in-attempt.entity.js';
import type { HostedRequest } from '../../hosted-sign-in/attempts/hosted-request.js';
import { attemptUri } from '../../hosted-sign-in/redirects/attempt-redirect.js';
import { SignInAttempts } from '../../hosted-sign-in/attempts/sign-in-attempts.service.js';
import { SignInService } from '../../hosted-sign-in/completion/sign-in.service.js';
import { InvalidOauthToken } from '../pending/provider.errors.js';

/** How a sign-in continues after an invite was accepted over JSON. */
@Injectable()
export class InviteContinuation {
  constructor(
    private readonly attempts: SignInAttempts,
    private readonly signIns: SignInService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Where the browser goes: to the app with the result, or to the page that is due. */
  async uriOf(hosted: HostedRequest, attempt: SignInAttempt): Promise<string> {
    const current = await this.attempts.find(attempt.id, attempt.browserHash);
    const state = current && (await this.attempts.readState(current));
    if (!state) throw new InvalidOauthToken();
    // Only a page of ours can post a form: it makes the answer.
    if (attempt.request.responseMode === 'form_post') return this.settings.baseUrl + attemptUri(attempt.id);
    const next = await this.signIns.proceed(hosted, state);
    switch (next.kind) {
      case 'answer':
        return answerUri(next.answer);
      case 'page':
      case 'restart':
        return this.settings.baseUrl + attemptUri(attempt.id);
    }
  }
}
