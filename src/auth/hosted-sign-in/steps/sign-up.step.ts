import { Injectable } from '@nestjs/common';
import { message } from '../../../common/i18n/message.js';
import { SignUpService } from '../../registration/sign-up.service.js';
import { Identification } from '../identification.service.js';
import {
  type Form,
  type SignInState,
  SignInStep,
  type StepOutcome,
  type StepPage,
  type StepSubmission,
} from '../sign-in-step.js';
import type { FormError } from '../../../common/pages/form-error.js';
import { accountFormAgain, judgeAccountForm, readAccountForm } from './account-form.js';

/** "Create account": offered beside the password where the app's policy lets people in or asks for approval. */
@Injectable()
export class SignUpStep extends SignInStep {
  readonly name = 'sign_up';

  constructor(
    private readonly signUps: SignUpService,
    private readonly identification: Identification,
  ) {
    super();
  }

  page({ attempt, client: { app, tenant } }: SignInState, form: Form, errors: readonly FormError[]): StepPage {
    return {
      view: 'sign-in/sign-up',
      title: message('sign-in.sign_up.title', { app: app.name }),
      model: {
        email: form['email'] ?? attempt.request.loginHint ?? '',
        displayName: form['display_name'] ?? '',
        minPasswordLength: tenant.minPasswordLength,
        needsApproval: app.registrationPolicy === 'approval',
        // Where this page comes first, the way to the password has an address of its own.
        signInUrl: `/sign-in/${attempt.id}${attempt.request.create ? '/password' : ''}`,
        errors,
      },
    };
  }

  async submit({ ctx, state, form, presentedSession }: StepSubmission): Promise<StepOutcome> {
    const account = readAccountForm(form);
    const kept = { email: account.email, display_name: account.displayName };
    const errors = judgeAccountForm(account, true);
    if (errors.length > 0) return { kind: 'again', status: 422, errors, form: kept };
    try {
      const { made } = await this.signUps.signUp(ctx, state.client, account, (tx, user) =>
        this.identification.identify(tx, ctx, state.attempt.id, user, ['pwd'], presentedSession),
      );
      return { kind: 'continue', ssoToken: made };
    } catch (error) {
      return accountFormAgain(error, kept);
    }
  }
}
