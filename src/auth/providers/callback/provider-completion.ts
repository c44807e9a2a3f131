import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { RequestContext } from '../../../common/request-context.js';
import { allowsMethod } from '../../entry/methods/allows-method.rules.js';
import { AttemptAccess } from '../../hosted-sign-in/attempts/attempt-access.js';
import { SsoSessionsService } from '../../session/sso-sessions.service.js';
import { LastMethod } from '../../session/last-method.js';
import type { ExternalIdentity } from '../linked/external-identity.js';
import type { ProviderAttempt, ProviderFailure } from '../pages/prepared-request.js';
import { ProviderPages } from '../pages/provider-pages.js';
import { ProviderSignIn } from '../identities/provider-sign-in.service.js';
import { redirectTo } from '../../../common/http/redirect-to.js';

/** Signs in with the identity of a callback, and answers the callback. */
@Injectable()
export class ProviderCompletion {
  constructor(
    private readonly attempts: AttemptAccess,
    private readonly signIn: ProviderSignIn,
    private readonly sessions: SsoSessionsService,
    private readonly lastMethod: LastMethod,
    private readonly pages: ProviderPages,
  ) {}

  /** @throws SignInExpired if the app was switched off in the meantime, or has removed its redirect URI */
  async finish(
    ctx: RequestContext,
    attempt: ProviderAttempt,
    identity: ExternalIdentity | ProviderFailure,
    request: Request,
    response: Response,
  ): Promise<void> {
    // Read again: the calls to the provider may have taken ten seconds, and the app may have changed or been switched
    // off.
    const { state } = await this.attempts.open(attempt.state.attempt.id, request);
    if (typeof identity === 'string') return this.pages.fail(response, { ...attempt, state }, identity);
    const { attempt: saved, client } = state;
    if (!allowsMethod(client.app, attempt.provider))
      return this.pages.fail(response, { ...attempt, state }, 'not_allowed');
    const outcome = await this.signIn.signIn(ctx, client, saved, identity, this.sessions.presented(request));
    switch (outcome.kind) {
      case 'identified':
        if (outcome.ssoToken) this.sessions.send(response, outcome.ssoToken);
        this.lastMethod.remember(response, attempt.provider);
        return redirectTo(response, `/sign-in/${saved.id}`);
      case 'invited':
        return redirectTo(
          response,
          `/oauth/invite?${new URLSearchParams({ oauth_token: outcome.oauthToken }).toString()}`,
        );
      case 'refused':
        return this.pages.refuse(response, { ...attempt, state }, outcome.why);
    }
  }
}
