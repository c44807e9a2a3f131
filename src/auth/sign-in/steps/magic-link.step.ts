import { Injectable } from '@nestjs/common';
import { judgeEmail } from '../../../common/validation/email.rules.js';
import { MagicLinkService } from '../../magic-link/magic-link.service.js';
import {
  type Form,
  type FormError,
  type SignInState,
  SignInStep,
  type StepOutcome,
  type StepPage,
  type StepSubmission,
} from '../sign-in-step.js';
import { mailboxPage } from './forgot.step.js';

/** "E-mail me a link": the answer is the same for every address. */
@Injectable()
export class MagicLinkStep extends SignInStep {
  readonly name = 'magic_link';

  constructor(private readonly magicLinks: MagicLinkService) {
    super();
  }

  page({ attempt, known }: SignInState, form: Form, errors: readonly FormError[]): StepPage {
    const email = form['email'] ?? attempt.request.loginHint ?? '';
    const title = `Sign in to ${known.app.name} by e-mail`;
    const signInUrl = known.app.config.allowed_providers.includes('password') ? `/sign-in/${attempt.id}` : null;
    return { view: 'sign-in/ask-magic-link', title, model: { email, errors, signInUrl } };
  }

  async submit({ state, form }: StepSubmission): Promise<StepOutcome> {
    const email = (form['email'] ?? '').trim();
    if (judgeEmail(email) !== 'ok') {
      return {
        kind: 'again',
        status: 422,
        form: { email },
        errors: [{ field: 'email', message: 'Enter a complete e-mail address.' }],
      };
    }
    await this.magicLinks.request(email, state.known.app.id, state.attempt.request);
    const message = `If there is an account for ${email}, a link that signs you in is on its way. It holds for 10 minutes and works once.`;
    return { kind: 'show', page: mailboxPage(state, message) };
  }
}
