import { Inject, Injectable } from '@nestjs/common';
import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import { answerPrefetch } from '../../../common/http/browser/prefetch.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import type { LiveSession } from '../../session/sso-sessions.repository.js';
import { SsoSessionsService } from '../../session/sso-sessions.service.js';
import type { AccountSection } from '../authorization-request/account-sections.js';
import { accountRequest, type AuthorizationRequest } from '../authorization-request/authorization-request.js';
import { BrowserAttempts } from '../attempts/browser-attempts.js';
import type { HostedRequest } from '../attempts/hosted-request.js';
import { SignInAttempts } from '../attempts/sign-in-attempts.service.js';
import { SignInResponder } from '../pages/sign-in-responder.js';
import { SignInExpired } from '../authorization-request/sign-in.errors.js';

/** Begins an attempt for a validated request, and shows its first page. */
@Injectable()
export class SignInStart {
  constructor(
    private readonly browserAttempts: BrowserAttempts,
    private readonly attempts: SignInAttempts,
    private readonly responder: SignInResponder,
    private readonly sessions: SsoSessionsService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @param session of this browser, if the sign-in may use it */
  async start(
    hosted: HostedRequest,
    client: RegisteredClient,
    requested: AuthorizationRequest,
    session: LiveSession | null,
  ): Promise<void> {
    const { request, response } = hosted;
    const { attempt, secret } = await this.browserAttempts.begin(client.app.id, requested, session, request, response);
    const state = await this.attempts.readState(attempt);
    if (!state) throw new SignInExpired();
    // The reference of a pushed request is used up, so reloading this URL would fail.
    if (requested.pushed) return this.responder.proceedElsewhere(hosted, state);
    await this.responder.proceed(hosted, state, secret);
  }

  /** GET /account/sign-in: as at an app, but ends on the account page of the user. */
  async startForAccount(
    hosted: HostedRequest,
    client: RegisteredClient,
    fresh: boolean,
    section: AccountSection | null,
  ): Promise<void> {
    if (answerPrefetch(hosted.request, hosted.response)) return;
    const requested = accountRequest(this.settings.baseUrl, fresh, section);
    await this.start(hosted, client, requested, await this.sessions.find(hosted.request));
  }
}
