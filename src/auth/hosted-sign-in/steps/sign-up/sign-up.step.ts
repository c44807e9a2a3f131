import { Injectable } from '@nestjs/common';
import { message } from '../../../../common/i18n/message.js';
import { type FirstCredential, FirstPasskey } from '../../../credentials/passkeys/ceremonies/first-passkey.service.js';
import { passkeyAmr } from '../../../credentials/passkeys/stored/passkey.rules.js';
import { allowsMethod } from '../../../entry/methods/allows-method.rules.js';
import { SignInMethodNotAllowed } from '../../../entry/auth.errors.js';
import { actingAs } from '../../../entry/entry.service.js';
import { SignUpService } from '../../../registration/sign-up.service.js';
import { Identification } from '../../attempts/identification.service.js';
import {
  type Form,
  type SignInState,
  SignInStep,
  type StepOutcome,
  type StepPage,
  type StepSubmission,
} from '../../attempts/sign-in-step.js';
import type { FormError } from '../../../../common/pages/form-error.js';
import { type AccountForm, accountFormAgain, judgeAccountForm, orphanOf, readAccountForm } from './account-form.js';

/**
 * "Create account": offered if the app's registration policy is `open` or `approval`, with a password or a passkey,
 * whichever the app accepts.
 */
@Injectable()
export class SignUpStep extends SignInStep {
  readonly name = 'sign_up';

  constructor(
    private readonly signUps: SignUpService,
    private readonly identification: Identification,
    private readonly passkeys: FirstPasskey,
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
        // If this page is the first one, the password page has its own URL.
        signInUrl: `/sign-in/${attempt.id}${attempt.request.create ? '/password' : ''}`,
        // Of a passkey that opens no account. Set by {@link submit}, never by a request, because submitted values are
        // not kept.
        unknownId: form['unknown'] ?? null,
        rpId: form['rp_id'] ?? '',
        errors,
      },
    };
  }

  async submit(submission: StepSubmission): Promise<StepOutcome> {
    const { ctx, state, form, presentedSession } = submission;
    const account = readAccountForm(form);
    const kept = { email: account.email, display_name: account.displayName };
    const byPasskey = form['with'] === 'passkey' || !allowsMethod(state.client.app, 'password');
    const errors = judgeAccountForm(account, !byPasskey);
    if (errors.length > 0) return { kind: 'again', status: 422, errors, form: kept };
    if (byPasskey) return this.createWithPasskey(submission, account, kept);
    try {
      const { made } = await this.signUps.signUp(ctx, state.client, account, (tx, user) =>
        this.identification.identify(tx, ctx, state.attempt.id, user, ['pwd'], presentedSession),
      );
      return { kind: 'continue', ssoToken: made };
    } catch (error) {
      return accountFormAgain(error, kept);
    }
  }

  /** @throws SignInMethodNotAllowed */
  private async createWithPasskey(
    { ctx, state: { attempt, client }, form, presentedSession }: StepSubmission,
    account: AccountForm,
    kept: Form,
  ): Promise<StepOutcome> {
    if (!allowsMethod(client.app, 'passkey')) throw new SignInMethodNotAllowed();
    let first: FirstCredential | null = null;
    try {
      const shown = await this.passkeys.verify(form['credential'] ?? '', `sign-up:${attempt.id}`, client.tenant);
      first = shown;
      const amr = passkeyAmr(shown.made, shown.made);
      const { made } = await this.signUps.signUp(ctx, client, { ...account, password: null }, async (tx, user) => {
        await this.passkeys.add(tx, actingAs(ctx, user, client), user, shown);
        return this.identification.identify(tx, ctx, attempt.id, user, amr, presentedSession);
      });
      return { kind: 'continue', ssoToken: made };
    } catch (error) {
      return accountFormAgain(error, { ...kept, ...orphanOf(first) });
    }
  }
}
