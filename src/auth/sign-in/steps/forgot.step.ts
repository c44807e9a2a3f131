import { Injectable } from '@nestjs/common';
import { judgeEmail } from '../../../common/validation/email.rules.js';
import { PasswordResetService } from '../../password/password-reset.service.js';
import {
  type Form,
  type FormError,
  type SignInState,
  SignInStep,
  type StepOutcome,
  type StepPage,
  type StepSubmission,
} from '../sign-in-step.js';

/** "Forgot password?": asks for the address; the answer is the same for every address. */
@Injectable()
export class ForgotStep extends SignInStep {
  readonly name = 'forgot';

  constructor(private readonly resets: PasswordResetService) {
    super();
  }

  page({ attempt }: SignInState, form: Form, errors: readonly FormError[]): StepPage {
    const email = form['email'] ?? attempt.request.loginHint ?? '';
    return {
      view: 'sign-in/forgot',
      title: 'Forgot your password?',
      model: { email, errors, signInUrl: `/sign-in/${attempt.id}` },
    };
  }

  async submit({ ctx, state, form }: StepSubmission): Promise<StepOutcome> {
    const email = (form['email'] ?? '').trim();
    if (judgeEmail(email) !== 'ok') {
      return {
        kind: 'again',
        status: 422,
        form: { email },
        errors: [{ field: 'email', message: 'Enter a complete e-mail address.' }],
      };
    }
    await this.resets.request(ctx, email, state.known.app.id);
    const message = `If there is an account for ${email}, a link to set a new password is on its way. It holds for 30 minutes.`;
    return { kind: 'show', page: mailboxPage(state, message) };
  }
}

/** The same words whether a mail was sent or not. */
export function mailboxPage({ attempt }: SignInState, message: string): StepPage {
  const heading = 'Look into your mailbox';
  return { view: 'sign-in/mailbox', title: heading, model: { heading, message, signInUrl: `/sign-in/${attempt.id}` } };
}
