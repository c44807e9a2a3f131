import { Injectable } from '@nestjs/common';
import { message, type Text } from '../../../../common/i18n/message.js';
import type { RequestContext } from '../../../../common/request-context.js';
import { MagicLinkRequests } from '../../../magic-link/magic-link-requests.service.js';
import { SignInAttempts } from '../../attempts/sign-in-attempts.service.js';
import type { Form, SignInState, StepPage } from '../../attempts/sign-in-step.js';
import type { FormError } from '../../../../common/pages/form-error.js';
import { alternativeMethodUrl } from '../../completion/alternative-methods.js';
import { MailedLinkStep } from './mailed-link.step.js';
import { allowsMethod } from '../../../entry/methods/allows-method.rules.js';

/** "E-mail me a link". */
@Injectable()
export class MagicLinkStep extends MailedLinkStep {
  readonly name = 'magic_link';
  protected readonly view = 'sign-in/ask-magic-link';

  protected readonly asksFirst = false;

  constructor(
    private readonly magicLinks: MagicLinkRequests,
    protected readonly attempts: SignInAttempts,
  ) {
    super();
  }

  override page(state: SignInState, form: Form, errors: readonly FormError[]): StepPage {
    const page = super.page(state, form, errors);
    // If the app accepts passwords, this is the second choice. Otherwise it is the first page, where new users also
    // need the links to sign up.
    const isFirst = this.backOf(state) === null;
    const invitedUrl = isFirst ? alternativeMethodUrl(state, 'invited_sign_up') : null;
    const signUpUrl = isFirst && invitedUrl === null ? alternativeMethodUrl(state, 'sign_up') : null;
    return { ...page, model: { ...page.model, invitedUrl, signUpUrl } };
  }

  protected titleOf({ client }: SignInState): Text {
    return message('sign-in.ask_magic_link.title', { app: client.app.name });
  }

  protected promiseTo(email: string): Text {
    return message('sign-in.mailbox.sign_in_link', { email });
  }

  /** Null for an app without passwords, whose sign-in begins with this page. */
  protected backOf({ attempt, client }: SignInState): string | null {
    return allowsMethod(client.app, 'password') ? `/sign-in/${attempt.id}` : null;
  }

  protected promise(ctx: RequestContext, email: string, { attempt, client }: SignInState): Promise<void> {
    return this.magicLinks.request(ctx, email, client.app.id, attempt.request);
  }
}
