import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import { backUri, type FailureReason } from '../authorization-answer.rules.js';
import { type SignInState, SignInStep, type StepOutcome, type StepPage } from '../sign-in-step.js';

/** The end of the way for this account; another one may be tried, or the person goes back with the reason. */
@Injectable()
export class NoAccessStep extends SignInStep {
  readonly name = 'no_access';

  constructor(@Inject(SETTINGS) private readonly settings: Settings) {
    super();
  }

  page(state: SignInState): StepPage {
    const { attempt, known, user } = state;
    const { heading, message, reason } = explain(state);
    return {
      view: 'sign-in/no-access',
      title: heading,
      model: {
        heading,
        message,
        signedInAs: user?.email ?? '',
        // The console has no page for somebody without authority: its callback would only lead back to this one.
        backUrl: known.app.isConsoleApp ? null : backUri(attempt, reason, this.settings.baseUrl),
        backLabel: `Back to ${known.app.name}`,
      },
    };
  }

  /** The page has no form of its own. */
  submit(): Promise<StepOutcome> {
    return Promise.resolve({ kind: 'continue' });
  }
}

function explain({ known: { app, tenant }, entry }: SignInState): {
  heading: string;
  message: string;
  reason: FailureReason;
} {
  if (entry === 'pending') {
    return {
      heading: 'Your request is waiting',
      message: `Somebody at ${tenant.name} still has to let you in to ${app.name}. You will get an e-mail.`,
      reason: 'approval_pending',
    };
  }
  if (app.isConsoleApp) {
    return {
      heading: 'Nothing to administer',
      message: 'This account administers no tenant and no app.',
      reason: 'access_denied',
    };
  }
  return {
    heading: 'You do not have access',
    message: `Ask ${tenant.name} to let you in to ${app.name}.`,
    reason: 'access_denied',
  };
}
