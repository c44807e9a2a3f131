import { Inject, Injectable } from '@nestjs/common';
import { type Message, message } from '../../../common/i18n/message.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import { Transactions } from '../../../database/transactions.js';
import { CLAIMS_OF_SCOPE } from '../../../tokens/protocol/user-claims.rules.js';
import { CLAIM_DESTINATIONS, requestedClaims } from '../../../tokens/protocol/requested-claims.rules.js';
import { USER_SCOPES, type UserScope } from '../../../tokens/protocol/scopes.rules.js';
import { backUri } from '../authorization-request/authorization-response.rules.js';
import type { AuthorizationRequest } from '../authorization-request/authorization-request.js';
import { answersFor } from '../pages/shown-user.js';
import { SignInAttemptsRepository } from '../attempts/sign-in-attempts.repository.js';
import {
  type SignInState,
  SignInStep,
  type StepOutcome,
  type StepPage,
  type StepSubmission,
} from '../attempts/sign-in-step.js';

/**
 * "Go on as …?": asked if the app requests it (`prompt=select_account`, `prompt=consent`). The user can switch the
 * account here.
 */
@Injectable()
export class ConfirmStep extends SignInStep {
  readonly name = 'confirm';

  constructor(
    private readonly attempts: SignInAttemptsRepository,
    private readonly transactions: Transactions,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    super();
  }

  page({ attempt, client, user }: SignInState): StepPage {
    const asksConsent = attempt.request.confirm === 'consent';
    return {
      view: 'sign-in/confirm',
      title: asksConsent
        ? message('sign-in.consent.title', { app: client.app.name })
        : message('sign-in.confirm.title', { app: client.app.name }),
      model: {
        told: asksConsent ? toldBy(attempt.request) : null,
        signedInAs: user?.email ?? '',
        backUrl: backUri(attempt, 'access_denied', this.settings.baseUrl),
      },
    };
  }

  async submit({ state: { attempt, user }, form }: StepSubmission): Promise<StepOutcome> {
    if (user && answersFor(user, form))
      await this.transactions.run((tx) => this.attempts.confirm(tx, attempt.id, user.id));
    return { kind: 'continue' };
  }
}

const WORDS: Partial<Record<UserScope, Message>> = {
  profile: message('sign-in.consent.profile'),
  email: message('sign-in.consent.email'),
  roles: message('sign-in.consent.roles'),
};

/** What the app learns, in words, by its scopes and by single claims. A request without scopes gets everything. */
function toldBy({ scope, claims }: AuthorizationRequest): Message[] {
  const requested = requestedClaims(claims, scope);
  const single = new Set(CLAIM_DESTINATIONS.flatMap((place) => Object.keys(requested?.[place] ?? {})));
  const bySingle = USER_SCOPES.filter((each) => CLAIMS_OF_SCOPE[each].some((name) => single.has(name)));
  const asked = [...(scope?.split(' ') ?? Object.keys(CLAIMS_OF_SCOPE)), ...bySingle];
  const told = Object.entries(WORDS).flatMap(([name, words]) => (asked.includes(name) ? [words] : []));
  return [message('sign-in.consent.you'), ...told];
}
