import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../../../common/request-context.js';
import { MagicLinkService } from '../../magic-link/magic-link.service.js';
import type { SignInState } from '../sign-in-step.js';
import { MailedLinkStep } from './mailed-link.step.js';

/** "E-mail me a link". */
@Injectable()
export class MagicLinkStep extends MailedLinkStep {
  readonly name = 'magic_link';
  protected readonly view = 'sign-in/ask-magic-link';
  protected readonly link = 'that signs you in is on its way. It holds for 10 minutes and works once.';

  constructor(private readonly magicLinks: MagicLinkService) {
    super();
  }

  protected titleOf({ known }: SignInState): string {
    return `Sign in to ${known.app.name} by e-mail`;
  }

  /** An app without passwords begins here: there is no page before this one. */
  protected backOf({ attempt, known }: SignInState): string | null {
    return known.app.config.allowed_providers.includes('password') ? `/sign-in/${attempt.id}` : null;
  }

  protected promise(_ctx: RequestContext, email: string, { attempt, known }: SignInState): Promise<void> {
    return this.magicLinks.request(email, known.app.id, attempt.request);
  }
}
