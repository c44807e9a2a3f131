import { Inject, Injectable } from '@nestjs/common';
import { message } from '../../../common/i18n/message.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import { backUri } from '../../hosted-sign-in/authorization-request/authorization-response.rules.js';
import {
  accountFormAgain,
  judgeAccountForm,
  orphanOf,
  readAccountForm,
} from '../../hosted-sign-in/steps/sign-up/account-form.js';
import {
  type Form,
  type SignInState,
  SignInStep,
  type StepOutcome,
  type StepPage,
  type StepSubmission,
} from '../../hosted-sign-in/attempts/sign-in-step.js';
import type { FormError } from '../../../common/pages/form-error.js';
import { InvalidInvite, InviteNotForThisEmail } from '../../../invites/invite/invites.errors.js';
import { RateLimited } from '../../../rate-limits/rate-limited.js';
import type { FirstCredential } from '../../credentials/passkeys/ceremonies/first-passkey.service.js';
import { inviteFormAgain, reasonToGoBack } from './invite-form.js';
import { InvitedSignUps } from './invited-sign-ups.js';
import { allowsMethod } from '../../entry/methods/allows-method.rules.js';

/** "Enter your invitation code": creates an account for a new user, with a password or a passkey as the app allows. */
@Injectable()
export class InvitedSignUpStep extends SignInStep {
  readonly name = 'invited_sign_up';

  constructor(
    private readonly signUps: InvitedSignUps,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    super();
  }

  page({ attempt, client: { app, tenant } }: SignInState, form: Form, errors: readonly FormError[]): StepPage {
    const reason = reasonToGoBack(errors);
    return {
      view: 'sign-in/invited-sign-up',
      title: message('sign-in.sign_up.title', { app: app.name }),
      model: {
        code: form['code'] ?? attempt.request.inviteCode ?? '',
        email: form['email'] ?? attempt.request.loginHint ?? '',
        displayName: form['display_name'] ?? '',
        takesPassword: allowsMethod(app, 'password'),
        isPasskeyOptional: !byPasskeyOnly(app),
        // A passkey that was created and belongs to no account. The value comes only from `orphanOf`: a submitted one
        // is not kept.
        unknownId: form['unknown'] ?? null,
        rpId: form['rp_id'] ?? '',
        minPasswordLength: tenant.minPasswordLength,
        signInUrl: `/sign-in/${attempt.id}${attempt.request.create ? '/password' : ''}`,
        backUrl: reason === 'invalid_invite' ? backUri(attempt, reason, this.settings.baseUrl) : null,
        errors,
      },
    };
  }

  async submit(submission: StepSubmission): Promise<StepOutcome> {
    const { state, form } = submission;
    const { app } = state.client;
    const account = readAccountForm(form);
    const code = (form['code'] ?? '').trim();
    const kept = { code, email: account.email, display_name: account.displayName };
    const byPasskey = form['with'] === 'passkey' || byPasskeyOnly(app);
    const takesPassword = !byPasskey && allowsMethod(app, 'password');
    const errors = [
      ...(code ? [] : [{ field: 'code', message: message('sign-in.invite.code_missing') }]),
      ...judgeAccountForm(account, takesPassword),
    ];
    if (errors.length > 0) return { kind: 'again', status: 422, errors, form: kept };
    const newUser = { ...account, code, password: takesPassword ? account.password : null };
    let first: FirstCredential | null = null;
    try {
      first = byPasskey ? await this.signUps.verify(submission) : null;
      return { kind: 'continue', ssoToken: await this.signUps.create(submission, newUser, first) };
    } catch (error) {
      const again = { ...kept, ...orphanOf(first) };
      return isAboutInvite(error) ? inviteFormAgain(error, again, 'email') : accountFormAgain(error, again);
    }
  }
}

function isAboutInvite(error: unknown): boolean {
  return error instanceof InvalidInvite || error instanceof InviteNotForThisEmail || error instanceof RateLimited;
}

/** Whether a passkey is the only method with which the user of a new account could sign in again. */
function byPasskeyOnly(app: SignInState['client']['app']): boolean {
  return allowsMethod(app, 'passkey') && !allowsMethod(app, 'password') && !allowsMethod(app, 'magic_link');
}
