import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { AppDirectory, type KnownApp } from '../../apps/app-directory.js';
import { answerPrefetch } from '../../common/http/prefetch.js';
import { redirectTo } from '../../common/http/redirect-to.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import type { RequestContext } from '../../common/request-context.js';
import { isUuid } from '../../common/validation/fields.js';
import { ActiveGrants } from '../../tokens/grants/active-grants.service.js';
import { TokenVerifier } from '../../tokens/jwt/token-verifier.js';
import { UsersService } from '../../users/users.service.js';
import { SsoSessionsService } from '../session/sso-sessions.service.js';
import { BrowserBinding } from '../session/browser-binding.js';
import { OnwardRedirect } from '../hosted-sign-in/onward-redirect.js';
import { LogoutPages } from './logout-pages.js';
import {
  judgeClient,
  judgeLogout,
  judgeTarget,
  type LogoutFault,
  logoutQuery,
  type RawParameters,
  readParameters,
  type SentParameters,
} from './logout-request.rules.js';

/** A request to sign out, as far as it could be proven. */
interface LogoutRequest {
  readonly sent: SentParameters;
  readonly known: KnownApp | null;
  /** Whom a verified ID token names. */
  readonly subject: string | null;
  readonly uri: string | null;
}

const FORM = 'logout';

/** OpenID Connect RP-Initiated Logout 1.0: ends the browser's session and what was entered from it. */
@Injectable()
export class LogoutFlow {
  constructor(
    private readonly sessions: SsoSessionsService,
    private readonly signIns: ActiveGrants,
    private readonly verifier: TokenVerifier,
    private readonly directory: AppDirectory,
    private readonly users: UsersService,
    private readonly browser: BrowserBinding,
    private readonly pages: LogoutPages,
    private readonly onward: OnwardRedirect,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** GET and POST /logout. */
  async begin(ctx: RequestContext, raw: RawParameters, request: Request, response: Response): Promise<void> {
    response.setHeader('Cache-Control', 'no-store');
    if (answerPrefetch(request, response)) return;
    // An app's form comes from another site, and with that our Lax cookies do not: as a GET it is asked for with them.
    if (request.method === 'POST' && !this.sessions.presented(request))
      return redirectTo(response, `/logout?${logoutQuery(raw)}`);
    const asked = await this.read(raw);
    if ('fault' in asked) return this.pages.showFault(ctx.requestId, response, asked.fault);
    const session = await this.sessions.find(request);
    switch (judgeLogout(session?.userId ?? null, asked.subject)) {
      case 'nothing_to_end':
        return this.leave(asked, request, response);
      case 'sign_out':
        await this.end(ctx, asked, request, response);
        return this.leave(asked, request, response);
      case 'ask': {
        const user = await this.users.find(session!.userId);
        const formToken = this.browser.formToken(this.browser.ensure(request, response), FORM);
        return this.pages.ask(response, { ...asked, signedInAs: user?.email ?? null, formToken });
      }
    }
  }

  /** POST /logout/confirm: the button of our own page. */
  async confirm(ctx: RequestContext, raw: RawParameters, request: Request, response: Response): Promise<void> {
    this.browser.checkForm(request, FORM);
    const asked = await this.read({ ...raw, id_token_hint: undefined });
    if ('fault' in asked) return this.pages.showFault(ctx.requestId, response, asked.fault);
    await this.end(ctx, asked, request, response);
    await this.leave(asked, request, response);
  }

  private async read(raw: RawParameters): Promise<LogoutRequest | { fault: LogoutFault }> {
    const read = readParameters(raw);
    if ('fault' in read) return read;
    const { sent } = read;
    const hint = sent.idTokenHint === null ? null : await this.verifier.readHint(sent.idTokenHint);
    const client = judgeClient(sent, hint?.aud ?? null);
    if ('fault' in client) return client;
    const known = isUuid(client.appId) ? await this.directory.findOpen(client.appId) : null;
    const registered = known && [...known.postLogoutRedirectUris, ...known.redirectUris];
    const target = judgeTarget(sent, registered, this.settings.baseUrl);
    if ('fault' in target) return target;
    return { sent, known, subject: hint?.sub ?? null, uri: target.uri };
  }

  private end(ctx: RequestContext, { known }: LogoutRequest, request: Request, response: Response): Promise<void> {
    return this.sessions.end(ctx, request, response, async (tx, ended) => ({
      ...(known ? { appId: known.app.id, tenantId: known.app.tenantId } : {}),
      metadata: { via: 'logout', refresh_families: await this.signIns.revokeSession(tx, ended.userId, ended) },
    }));
  }

  private leave({ uri }: LogoutRequest, request: Request, response: Response): Promise<void> {
    return this.onward.send(request, response, uri ?? '/account/signed-out');
  }
}
