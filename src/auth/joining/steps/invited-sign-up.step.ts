import { Inject, Injectable } from '@nestjs/common';
import { message } from '../../../common/i18n/message.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import { backUri } from '../../hosted-sign-in/authorization-answer.rules.js';
import { accountFormAgain, judgeAccountForm, readAccountForm } from '../../hosted-sign-in/steps/account-form.js';
import { Identification } from '../../hosted-sign-in/identification.service.js';
import { SignInAttemptsRepository } from '../../hosted-sign-in/sign-in-attempts.repository.js';
import {
  type Form,
  type SignInState,
  SignInStep,
  type StepOutcome,
  type StepPage,
  type StepSubmission,
} from '../../hosted-sign-in/sign-in-step.js';
import type { FormError } from '../../../common/pages/form-error.js';
import { InvalidInvite, InviteNotForThisEmail } from '../../../invites/invites.errors.js';
import { RateLimited } from '../../../rate-limits/rate-limited.js';
import { GuessLimit } from '../guess-limit.js';
import { amrOf, InvitedNewUser } from '../invited-new-user.service.js';
import { inviteFormAgain, reasonToGoBack } from './invite-form.js';
import { allowsMethod } from '../../entry/allows-method.rules.js';

/** "I have an invite": an account for a new user, with a password if the app accepts passwords. */
@Injectable()
export class InvitedSignUpStep extends SignInStep {
  readonly name = 'invited_sign_up';

  constructor(
    private readonly newUsers: InvitedNewUser,
    private readonly identification: Identification,
    private readonly attempts: SignInAttemptsRepository,
    private readonly guesses: GuessLimit,
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
        takesPassword: takesPassword(app),
        minPasswordLength: tenant.minPasswordLength,
        signInUrl: `/sign-in/${attempt.id}${attempt.request.create ? '/password' : ''}`,
        backUrl: reason === 'invalid_invite' ? backUri(attempt, reason, this.settings.baseUrl) : null,
        errors,
      },
    };
  }

  async submit({ ctx, state, form, presentedSession }: StepSubmission): Promise<StepOutcome> {
    const { attempt, client } = state;
    const account = readAccountForm(form);
    const code = (form['code'] ?? '').trim();
    const kept = { code, email: account.email, display_name: account.displayName };
    const errors = [
      ...(code ? [] : [{ field: 'code', message: message('sign-in.invite.code_missing') }]),
      ...judgeAccountForm(account, takesPassword(client.app)),
    ];
    if (errors.length > 0) return { kind: 'again', status: 422, errors, form: kept };
    const newUser = { ...account, code, password: takesPassword(client.app) ? account.password : null };
    try {
      const { made } = await this.guesses.watch(ctx, () =>
        this.newUsers.join(ctx, client, newUser, async (tx, user, provesMailbox) => {
          await this.attempts.dropInvite(tx, attempt.id);
          const amr = amrOf(newUser, provesMailbox, client);
          return this.identification.identify(tx, ctx, attempt.id, user, amr, presentedSession);
        }),
      );
      return { kind: 'continue', ssoToken: made };
    } catch (error) {
      return isAboutInvite(error) ? inviteFormAgain(error, kept, 'email') : accountFormAgain(error, kept);
    }
  }
}

function isAboutInvite(error: unknown): boolean {
  return error instanceof InvalidInvite || error instanceof InviteNotForThisEmail || error instanceof RateLimited;
}

function takesPassword(app: SignInState['client']['app']): boolean {
  return allowsMethod(app, 'password');
}
