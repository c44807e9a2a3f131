import { message, type Text } from '../../../../common/i18n/message.js';
import { tooManyAttempts } from '../../../../common/pages/durations.js';
import { Injectable } from '@nestjs/common';
import { Refusal } from '../../../../common/refusal.js';
import { judgeEmail } from '../../../../common/validation/email.rules.js';
import { Transactions } from '../../../../database/transactions.js';
import { judgePassword, MAX_PASSWORD_LENGTH } from '../../../../users/passwords/password.rules.js';
import { ProofOutdated } from '../../../../users/proof-outdated.js';
import { PasswordCheckService } from '../../../credentials/password/password-check.service.js';
import { InvalidCredentials, PasswordLoginNotEnabled } from '../../../entry/auth.errors.js';
import { Identification } from '../../attempts/identification.service.js';
import {
  again,
  type Form,
  type SignInState,
  SignInStep,
  type StepOutcome,
  type StepPage,
  type StepSubmission,
} from '../../attempts/sign-in-step.js';
import type { FormError } from '../../../../common/pages/form-error.js';
import { alternativeMethodUrl } from '../../completion/alternative-methods.js';

/** E-mail and password on one page. */
@Injectable()
export class PasswordStep extends SignInStep {
  readonly name = 'password';

  constructor(
    private readonly passwords: PasswordCheckService,
    private readonly identification: Identification,
    private readonly transactions: Transactions,
  ) {
    super();
  }

  page(state: SignInState, form: Form, errors: readonly FormError[]): StepPage {
    const { attempt, user } = state;
    const invitedUrl = alternativeMethodUrl(state, 'invited_sign_up');
    return {
      view: 'sign-in/password',
      title: signInTitle(state),
      model: {
        email: form['email'] ?? user?.email ?? attempt.request.loginHint ?? '',
        emailLocked: false,
        signUpUrl: invitedUrl === null ? alternativeMethodUrl(state, 'sign_up') : null,
        invitedUrl,
        forgotUrl: alternativeMethodUrl(state, 'forgot'),
        magicLinkAction: alternativeMethodUrl(state, 'magic_link'),
        errors,
      },
    };
  }

  async submit({ ctx, state, form, presentedSession }: StepSubmission): Promise<StepOutcome> {
    const [email, password] = [form['email'] ?? '', form['password'] ?? ''];
    const errors = judgeForm(email, password);
    if (errors.length > 0) return { kind: 'again', status: 422, errors, form: { email } };
    try {
      const user = await this.passwords.check(ctx, state.client, email, password);
      const ssoToken = await this.transactions.run((tx) =>
        this.identification.identify(tx, ctx, state.attempt.id, user, ['pwd'], presentedSession),
      );
      return { kind: 'continue', ssoToken };
    } catch (error) {
      return passwordAgain(error, { email });
    }
  }
}

function signInTitle({ attempt, client }: SignInState): Text {
  if (attempt.request.purpose === 'account') return message('sign-in.account.heading');
  return message('sign-in.password.title', { app: client.app.name });
}

function judgeForm(email: string, password: string): FormError[] {
  const errors: FormError[] = [];
  if (!email.trim()) errors.push({ field: 'email', message: message('sign-in.password.email_missing') });
  else if (judgeEmail(email) === 'malformed')
    errors.push({ field: 'email', message: message('sign-in.password.email_malformed') });
  const verdict = judgePassword(password);
  if (verdict === 'too_short')
    errors.push({ field: 'password', message: message('sign-in.password.password_missing') });
  if (verdict === 'too_long') {
    errors.push({
      field: 'password',
      message: message('sign-in.password.password_too_long', { max: MAX_PASSWORD_LENGTH }),
    });
  }
  return errors;
}

/** Shows the page again for errors about which the user can do something; all others go to the error filter. */
function passwordAgain(error: unknown, form: Form): StepOutcome {
  if (error instanceof InvalidCredentials || error instanceof ProofOutdated) {
    return again(401, 'password', message('sign-in.password.no_match'), { form });
  }
  if (error instanceof PasswordLoginNotEnabled) {
    return again(400, null, message('sign-in.password.turned_off'), { form });
  }
  if (error instanceof Refusal && error.extras.retryAfter !== undefined) {
    const { retryAfter } = error.extras;
    return error.kind === 'too_many_requests'
      ? again(429, null, tooManyAttempts(retryAfter), { form, retryAfter })
      : again(503, null, message('sign-in.password.busy'), { form, retryAfter });
  }
  throw error;
}
