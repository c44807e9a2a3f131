import { Injectable } from '@nestjs/common';
import { clientAddressKey } from '../../../rate-limits/client-address.js';
import { RateLimitsService } from '../../../rate-limits/rate-limits.service.js';
import { SsoSessionsService } from '../../session/sso-sessions.service.js';
import { askedAgain, isMeant } from '../authorization-request/authorization-request.js';
import { BrowserAttempts } from '../attempts/browser-attempts.js';
import type { HostedRequest } from './hosted-request.js';
import { OnwardRedirect } from './onward-redirect.js';
import type { SignInAttempt } from '../attempts/sign-in-attempt.entity.js';

/** Leads the browser to an attempt, or to another one with the same request where it is over. */
@Injectable()
export class AttemptRedirect {
  constructor(
    private readonly attempts: BrowserAttempts,
    private readonly sessions: SsoSessionsService,
    private readonly limits: RateLimitsService,
    private readonly onward: OnwardRedirect,
  ) {}

  /** To wherever the attempt is. */
  to({ request, response }: HostedRequest, attemptId: string): Promise<void> {
    return this.onward.send(request, response, attemptUri(attemptId));
  }

  /**
   * The same sign-in once more from its beginning. From the saved request and not from an address: that would leave out what an
   * address cannot say again (who was hinted at, that the request was pushed).
   * @throws RateLimited as GET /login
   */
  async again(hosted: HostedRequest, { appId, request: asked }: SignInAttempt): Promise<void> {
    const { ctx, request, response } = hosted;
    if (asked.purpose === 'device') return this.onward.send(request, response, '/device');
    if (asked.purpose === 'account') return this.onward.send(request, response, `/account/sign-in?app_id=${appId}`);
    await this.limits.consume('login_page_ip', clientAddressKey(ctx.ip));
    const found = await this.sessions.find(request);
    const session = found && !asked.create && isMeant(asked, found.userId) ? found : null;
    const { attempt } = await this.attempts.begin(appId, askedAgain(asked), session, request, response);
    await this.to(hosted, attempt.id);
  }
}

/** Where the browser finds an attempt; one that is over begins again there. */
export function attemptUri(id: string): string {
  return `/sign-in/${id}`;
}
