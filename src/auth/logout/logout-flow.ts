import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { isSelfRegistered } from '../../apps/app/app-origin.rules.js';
import { answerPrefetch } from '../../common/http/browser/prefetch.js';
import { redirectTo } from '../../common/http/redirect-to.js';
import type { RequestContext } from '../../common/request-context.js';
import { BrowserSignOut } from '../session/browser-sign-out.js';
import { SsoSessionsService } from '../session/sso-sessions.service.js';
import { OnwardRedirect } from '../hosted-sign-in/redirects/onward-redirect.js';
import { LogoutPages } from './logout-pages.js';
import { judgeLogout, logoutQuery, type RawParameters } from './logout-request.rules.js';
import { type LogoutRequest, LogoutRequests } from './logout-requests.service.js';

/**
 * OpenID Connect RP-Initiated Logout 1.0: ends the browser's session and the sign-ins at apps that were entered from
 * it.
 */
@Injectable()
export class LogoutFlow {
  constructor(
    private readonly sessions: SsoSessionsService,
    private readonly signOut: BrowserSignOut,
    private readonly requests: LogoutRequests,
    private readonly pages: LogoutPages,
    private readonly onward: OnwardRedirect,
  ) {}

  /** GET and POST /logout. */
  async begin(ctx: RequestContext, raw: RawParameters, request: Request, response: Response): Promise<void> {
    response.setHeader('Cache-Control', 'no-store');
    if (answerPrefetch(request, response)) return;
    // A form of an app is a cross-site POST, which has no cookies of ours with SameSite=Lax. The same request as a GET
    // has them.
    if (request.method === 'POST' && !this.sessions.presented(request))
      return redirectTo(response, `/logout?${logoutQuery(raw)}`);
    const requested = await this.requests.read(raw);
    if ('fault' in requested) return this.pages.showFault(ctx.requestId, response, requested.fault);
    const session = await this.sessions.findForSignOut(request);
    switch (judgeLogout(session, requested.hint)) {
      case 'nothing_to_end':
        // Any user can get an ID token of a self-registered client. Unless it ends a session, the token proves nothing,
        // and the browser does not go to the client's address.
        return this.leave(isUnchecked(requested) ? { ...requested, uri: null } : requested, request, response);
      case 'sign_out':
        await this.end(ctx, requested, request, response);
        return this.leave(requested, request, response);
      case 'ask':
        return this.pages.ask(request, response, { ...requested, userId: session!.isLive ? session!.userId : null });
    }
  }

  /** POST /logout/confirm: the button of our own page. */
  async confirm(ctx: RequestContext, raw: RawParameters, request: Request, response: Response): Promise<void> {
    this.pages.checkForm(request);
    const requested = await this.requests.read({ ...raw, id_token_hint: undefined });
    if ('fault' in requested) return this.pages.showFault(ctx.requestId, response, requested.fault);
    await this.end(ctx, requested, request, response);
    await this.leave(requested, request, response);
  }

  private end(ctx: RequestContext, { client }: LogoutRequest, request: Request, response: Response): Promise<void> {
    const where = client ? { appId: client.app.id, tenantId: client.app.tenantId } : {};
    return this.signOut.end(ctx, request, response, { ...where, metadata: { via: 'logout' } });
  }

  private leave({ uri }: LogoutRequest, request: Request, response: Response): Promise<void> {
    return this.onward.send(request, response, uri ?? '/account/signed-out');
  }
}

/** Whether no operator has checked the redirect URIs of the client. */
function isUnchecked({ client }: LogoutRequest): boolean {
  return client !== null && isSelfRegistered(client.app);
}
