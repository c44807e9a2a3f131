import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../../../common/request-context.js';
import { Outbox } from '../../../delivery/outbox/outbox.service.js';
import type { RequestingAttempt } from '../../email-links/link-continuations.js';
import { LinkRequests } from '../../email-links/link-requests.service.js';

/** Requests for a reset link; {@link ResetRequestedHandler} mails it. */
@Injectable()
export class ResetRequests {
  constructor(
    private readonly requests: LinkRequests,
    private readonly outbox: Outbox,
  ) {}

  /**
   * @param askedIn the sign-in that the link leads back to
   *
   * The same for a known and an unknown address: see {@link LinkRequests}. */
  request(ctx: RequestContext, email: string, appId: string, askedIn: RequestingAttempt | null = null): Promise<void> {
    const limits = { network: 'forgot_password_ip', user: 'forgot_password' } as const;
    return this.requests.accept(ctx, { email, appId }, limits, (tx, emailCanonical, options) =>
      this.outbox.add(tx, 'mail', 'auth.reset_requested', { email: emailCanonical, appId, askedIn }, options),
    );
  }
}
