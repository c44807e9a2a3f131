import { message, type Text } from '../../../../common/i18n/message.js';
import type { RequestContext } from '../../../../common/request-context.js';
import { emailAdvice } from '../../../../common/validation/email.rules.js';
import {
  again,
  type Form,
  type SignInState,
  SignInStep,
  type StepOutcome,
  type StepPage,
  type StepSubmission,
} from '../../attempts/sign-in-step.js';
import type { SignInAttempts } from '../../attempts/sign-in-attempts.service.js';
import type { FormError } from '../../../../common/pages/form-error.js';

/** Asks for an address and promises a link to it, with the same words whether or not there is an account with it. */
export abstract class MailedLinkStep extends SignInStep {
  protected abstract readonly view: string;
  protected abstract readonly attempts: SignInAttempts;

  /**
   * Whether the button on the sign-in page always leads to this page. If not, it mails the link at once if the address
   * is filled in.
   */
  protected abstract readonly asksFirst: boolean;

  protected abstract titleOf(state: SignInState): Text;

  /** The URL of "back"; null if there is no page to go back to. */
  protected abstract backOf(state: SignInState): string | null;

  protected abstract promise(ctx: RequestContext, email: string, state: SignInState): Promise<void>;

  /** "If there is an account for …, a link …": says what the link does and how long it is valid. */
  protected abstract promiseTo(email: string): Text;

  page(state: SignInState, form: Form, errors: readonly FormError[]): StepPage {
    const email = form['email'] ?? state.attempt.request.loginHint ?? '';
    return { view: this.view, title: this.titleOf(state), model: { email, errors, signInUrl: this.backOf(state) } };
  }

  async submit({ ctx, state, form }: StepSubmission): Promise<StepOutcome> {
    const email = form['email'] ?? '';
    const advice = emailAdvice(email);
    await this.attempts.rememberEmail(state.attempt, email);
    // Sent by the button of the sign-in page: a missing address is not an error there, because this page asks for it.
    if (form['begin'] !== undefined && (this.asksFirst || advice))
      return { kind: 'again', status: 200, form: { email }, errors: [] };
    if (advice) return again(422, 'email', advice, { form: { email } });
    await this.promise(ctx, email, state);
    const heading = message('sign-in.mailbox.heading');
    const model = { heading, message: this.promiseTo(email), signInUrl: `/sign-in/${state.attempt.id}` };
    return { kind: 'show', page: { view: 'sign-in/mailbox', title: heading, model } };
  }
}
