import { Inject, Injectable } from '@nestjs/common';
import { message, type Text } from '../../../common/i18n/message.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import { backUri, type FailureReason } from '../authorization-request/authorization-response.rules.js';
import { type SignInState, SignInStep, type StepOutcome, type StepPage } from '../attempts/sign-in-step.js';

/**
 * The app does not let this account in. The user can try another account, or go back to the app, which gets the reason.
 */
@Injectable()
export class NoAccessStep extends SignInStep {
  readonly name = 'no_access';

  constructor(@Inject(SETTINGS) private readonly settings: Settings) {
    super();
  }

  page(state: SignInState): StepPage {
    const { attempt, client, user } = state;
    const { heading, lead, reason } = explain(state);
    return {
      view: 'sign-in/no-access',
      title: heading,
      model: {
        heading,
        message: lead,
        signedInAs: user?.email ?? '',
        // The Console has no page for users without rights: its callback would lead back to this page.
        backUrl: client.app.isConsoleApp ? null : backUri(attempt, reason, this.settings.baseUrl),
        backLabel: message('common.back_to_app', { app: client.app.name }),
      },
    };
  }

  /** The page has no form of its own. */
  submit(): Promise<StepOutcome> {
    return Promise.resolve({ kind: 'continue' });
  }
}

function explain({ client: { app, tenant }, entry }: SignInState): {
  heading: Text;
  lead: Text;
  reason: FailureReason;
} {
  if (entry === 'pending') {
    return {
      heading: message('sign-in.no_access.waiting'),
      lead: message('sign-in.no_access.waiting_lead', { tenant: tenant.name, app: app.name }),
      reason: 'approval_pending',
    };
  }
  if (app.isConsoleApp) {
    return {
      heading: message('sign-in.no_access.nothing_to_administer'),
      lead: message('sign-in.no_access.nothing_to_administer_lead'),
      reason: 'access_denied',
    };
  }
  return {
    heading: message('sign-in.no_access.heading'),
    lead: message('sign-in.no_access.lead', { tenant: tenant.name, app: app.name }),
    reason: 'access_denied',
  };
}
