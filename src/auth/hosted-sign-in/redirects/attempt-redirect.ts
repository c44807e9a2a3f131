import { Injectable } from '@nestjs/common';
import { clientAddressKey } from '../../../rate-limits/client-address.js';
import { RateLimitsService } from '../../../rate-limits/rate-limits.service.js';
import { SsoSessionsService } from '../../session/sso-sessions.service.js';
import { renewedRequest, isMeant } from '../authorization-request/authorization-request.js';
import { BrowserAttempts } from '../attempts/browser-attempts.js';
import type { HostedRequest } from '../attempts/hosted-request.js';
import { OnwardRedirect } from './onward-redirect.js';
import type { SignInAttempt } from '../attempts/sign-in-attempt.entity.js';

/** Redirects the browser to an attempt, or to a new one with the same request if it has ended. */
@Injectable()
export class AttemptRedirect {
  constructor(
    private readonly attempts: BrowserAttempts,
    private readonly sessions: SsoSessionsService,
    private readonly limits: RateLimitsService,
    private readonly onward: OnwardRedirect,
  ) {}

  /** Redirects to the current page of the attempt. */
  to({ request, response }: HostedRequest, attemptId: string): Promise<void> {
    return this.onward.send(request, response, attemptUri(attemptId));
  }

  /**
   * Begins the same sign-in again, from the saved request and not from a URL, which would lack what a URL cannot repeat
   * (the hinted user, whether the request was pushed).
   * @throws RateLimited as GET /login
   */
  async again(hosted: HostedRequest, { appId, request: asked }: SignInAttempt): Promise<void> {
    const { ctx, request, response } = hosted;
    if (asked.purpose === 'device') return this.onward.send(request, response, '/device');
    if (asked.purpose === 'account') return this.onward.send(request, response, `/account/sign-in?app_id=${appId}`);
    await this.limits.consume('login_page_ip', clientAddressKey(ctx.ip));
    const found = await this.sessions.find(request);
    const session = found && !asked.create && isMeant(asked, found.userId) ? found : null;
    const { attempt } = await this.attempts.begin(appId, renewedRequest(asked), session, request, response);
    await this.to(hosted, attempt.id);
  }
}

/** URL of an attempt; an attempt that has ended begins again there. */
export function attemptUri(id: string): string {
  return `/sign-in/${id}`;
}
