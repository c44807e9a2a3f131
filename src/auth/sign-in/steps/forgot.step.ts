import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../../../common/request-context.js';
import { PasswordResetService } from '../../password/password-reset.service.js';
import type { SignInState } from '../sign-in-step.js';
import { MailedLinkStep } from './mailed-link.step.js';

/** "Forgot password?" */
@Injectable()
export class ForgotStep extends MailedLinkStep {
  readonly name = 'forgot';
  protected readonly view = 'sign-in/forgot';
  protected readonly link = 'to set a new password is on its way. It holds for 30 minutes.';

  constructor(private readonly resets: PasswordResetService) {
    super();
  }

  protected titleOf(): string {
    return 'Forgot your password?';
  }

  protected backOf({ attempt }: SignInState): string {
    return `/sign-in/${attempt.id}`;
  }

  protected promise(ctx: RequestContext, email: string, { known }: SignInState): Promise<void> {
    return this.resets.request(ctx, email, known.app.id);
  }
}
