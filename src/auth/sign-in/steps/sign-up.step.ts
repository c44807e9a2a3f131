import { Injectable } from '@nestjs/common';
import { Refusal } from '../../../common/refusal.js';
import { judgeEmail } from '../../../common/validation/email.rules.js';
import { MAX_PASSWORD_LENGTH } from '../../../users/password.rules.js';
import { PasswordRefused } from '../../../users/users.errors.js';
import { AccountAlreadyExists } from '../../auth.errors.js';
import { SignUpService } from '../../sign-up/sign-up.service.js';
import { Identification } from '../identification.service.js';
import {
  type Form,
  type FormError,
  type SignInState,
  SignInStep,
  type StepOutcome,
  type StepPage,
  type StepSubmission,
} from '../sign-in-step.js';

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

  page({ attempt, known: { app, tenant } }: SignInState, form: Form, errors: readonly FormError[]): StepPage {
    return {
      view: 'sign-in/sign-up',
      title: `Create an account at ${app.name}`,
      model: {
        email: form['email'] ?? attempt.request.loginHint ?? '',
        displayName: form['display_name'] ?? '',
        minPasswordLength: tenant.minPasswordLength,
        needsApproval: app.registrationPolicy === 'approval',
        signInUrl: `/sign-in/${attempt.id}`,
        errors,
      },
    };
  }

  async submit({ ctx, state, form, presentedSession }: StepSubmission): Promise<StepOutcome> {
    const [email, displayName, password] = [
      (form['email'] ?? '').trim(),
      (form['display_name'] ?? '').trim(),
      form['password'] ?? '',
    ];
    const kept = { email, display_name: displayName };
    const errors = judgeForm(email, displayName, password);
    if (errors.length > 0) return { kind: 'again', status: 422, errors, form: kept };
    try {
      const { made } = await this.signUps.signUp(ctx, state.known, { email, displayName, password }, (tx, user) =>
        this.identification.identify(tx, ctx, state.attempt.id, user, ['pwd'], presentedSession),
      );
      return { kind: 'continue', ssoToken: made };
    } catch (error) {
      return again(error, kept);
    }
  }
}

function judgeForm(email: string, displayName: string, password: string): FormError[] {
  const errors: FormError[] = [];
  if (judgeEmail(email) !== 'ok') errors.push({ field: 'email', message: 'Enter a complete e-mail address.' });
  if (!displayName || displayName.length > 200)
    errors.push({ field: 'display_name', message: 'Enter your name, at most 200 characters.' });
  if (!password) errors.push({ field: 'password', message: 'Choose a password.' });
  else if ([...password].length > MAX_PASSWORD_LENGTH)
    errors.push({ field: 'password', message: `Use at most ${MAX_PASSWORD_LENGTH} characters.` });
  return errors;
}

function again(error: unknown, form: Form): StepOutcome {
  if (error instanceof AccountAlreadyExists) {
    return {
      kind: 'again',
      status: 400,
      form,
      errors: [{ field: 'email', message: 'There is an account with this address. Sign in instead.' }],
    };
  }
  if (error instanceof PasswordRefused)
    return { kind: 'again', status: 400, form, errors: [{ field: 'password', message: error.advice }] };
  if (error instanceof Refusal && error.extras.retryAfter !== undefined) {
    const message = 'Too many new accounts from your network. Try again later.';
    return {
      kind: 'again',
      status: 429,
      form,
      errors: [{ field: null, message }],
      retryAfter: error.extras.retryAfter,
    };
  }
  throw error;
}
