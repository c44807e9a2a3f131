import { Inject, Injectable } from '@nestjs/common';
import { message } from '../../../../common/i18n/message.js';
import { SETTINGS, type Settings } from '../../../../config/settings.js';
import { VerificationRequests } from '../../../email-links/verification-requests.service.js';
import { backUri } from '../../authorization-request/authorization-response.rules.js';
import {
  type SignInState,
  SignInStep,
  type StepOutcome,
  type StepPage,
  type StepSubmission,
} from '../../attempts/sign-in-step.js';

/** The app requires a verified e-mail address. The page continues by itself after the link in the mail was opened. */
@Injectable()
export class VerifyEmailStep extends SignInStep {
  readonly name = 'verify_email';

  constructor(
    private readonly verification: VerificationRequests,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    super();
  }

  page(state: SignInState): StepPage {
    return this.show(state, { isSent: false });
  }

  /** Shows the same words whether the link was mailed again or the limit of mails was reached. */
  async submit({ state }: StepSubmission): Promise<StepOutcome> {
    if (!state.user) return { kind: 'continue' };
    await this.verification.request(state.user.id, state.client.app.id);
    return { kind: 'show', page: this.show(state, { isSent: true }) };
  }

  private show({ attempt, client, user }: SignInState, { isSent }: { readonly isSent: boolean }): StepPage {
    return {
      view: 'sign-in/email-not-verified',
      title: message('sign-in.email_not_verified.title', { app: client.app.name }),
      model: {
        signedInAs: user?.email ?? '',
        isSent,
        sendUrl: `/sign-in/${attempt.id}/verify_email`,
        continueUrl: `/sign-in/${attempt.id}`,
        backUrl: client.app.isConsoleApp ? null : backUri(attempt, 'email_not_verified', this.settings.baseUrl),
      },
    };
  }
}
