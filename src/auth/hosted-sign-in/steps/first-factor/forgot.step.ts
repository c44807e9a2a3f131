import { Injectable } from '@nestjs/common';
import { message, type Text } from '../../../../common/i18n/message.js';
import type { RequestContext } from '../../../../common/request-context.js';
import { ResetRequests } from '../../../credentials/password-reset/reset-requests.service.js';
import { SignInAttempts } from '../../attempts/sign-in-attempts.service.js';
import type { SignInState } from '../../attempts/sign-in-step.js';
import { MailedLinkStep } from './mailed-link.step.js';

/** "Forgot password?" */
@Injectable()
export class ForgotStep extends MailedLinkStep {
  readonly name = 'forgot';
  protected readonly view = 'sign-in/forgot';

  protected readonly asksFirst = true;

  constructor(
    private readonly resets: ResetRequests,
    protected readonly attempts: SignInAttempts,
  ) {
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

  protected promise(ctx: RequestContext, email: string, { attempt, client }: SignInState): Promise<void> {
    const askedIn = { attemptId: attempt.id, browserHash: attempt.browserHash.toString('hex') };
    return this.resets.request(ctx, email, client.app.id, askedIn);
  }
}
