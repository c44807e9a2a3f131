import { Injectable } from '@nestjs/common';
import { message, type Text } from '../../../common/i18n/message.js';
import type { RequestContext } from '../../../common/request-context.js';
import { ResetRequests } from '../../credentials/password-reset/reset-requests.service.js';
import type { SignInState } from '../sign-in-step.js';
import { MailedLinkStep } from './mailed-link.step.js';

/** "Forgot password?" */
@Injectable()
export class ForgotStep extends MailedLinkStep {
  readonly name = 'forgot';
  protected readonly view = 'sign-in/forgot';

  constructor(private readonly resets: ResetRequests) {
    super();
  }

  protected titleOf(): Text {
    return message('sign-in.forgot.heading');
  }

  protected promiseTo(email: string): Text {
    return message('sign-in.mailbox.reset_link', { email });
  }

  protected backOf({ attempt }: SignInState): string {
    return `/sign-in/${attempt.id}`;
  }

  protected promise(ctx: RequestContext, email: string, { client }: SignInState): Promise<void> {
    return this.resets.request(ctx, email, client.app.id);
  }
}
