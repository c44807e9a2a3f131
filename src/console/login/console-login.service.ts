import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { SsoSessionsService } from '../../auth/session/sso-sessions.service.js';
import { answerPrefetch } from '../../common/http/browser/prefetch.js';
import { redirectTo } from '../../common/http/redirect-to.js';
import { PageRenderer } from '../../common/pages/page-renderer.js';
import type { RequestContext } from '../../common/request-context.js';
import { ProofOutdated } from '../../users/proof-outdated.js';
import { ConsoleEntrance } from '../../operators/console-entrance.js';
import { ConsoleSessionsService } from '../../operators/session/console-sessions.service.js';
import { pathAfterSignIn, readConsolePath } from './console-path.rules.js';
import { type SignedIn, HostedSignIn } from './hosted-sign-in.js';

const HOME = '/console/';

/** Sign-in to the console: by the browser's SSO session, or through the hosted sign-in of the platform Console app. */
@Injectable()
export class ConsoleLoginService {
  constructor(
    private readonly entrance: ConsoleEntrance,
    private readonly sessions: ConsoleSessionsService,
    private readonly sso: SsoSessionsService,
    private readonly hosted: HostedSignIn,
    private readonly pages: PageRenderer,
  ) {}

  /** @param wanted console page to show after the sign-in */
  async login(request: Request, response: Response, wanted: unknown): Promise<void> {
    if (answerPrefetch(request, response)) return;
    const to = readConsolePath(wanted);
    const own = await this.sessions.find(request);
    if (own && typeof (await this.entrance.identify(own.userId, own.amr)) !== 'string')
      return redirectTo(response, landing(to), 302);
    const session = await this.sso.find(request);
    const outcome = session ? await this.entrance.identify(session.userId, session.amr) : 'signed_out';
    if (outcome === 'signed_out') return redirectTo(response, await this.hosted.begin(response, to), 302);
    if (outcome === 'no_access') return this.sendNoAccess(response);
    const signIn = { proof: session!, amr: session!.amr, authTime: session!.authTime };
    const isIn = await this.begin(request, response, signIn, session!.id, false);
    redirectTo(response, isIn ? landing(to) : await this.hosted.begin(response, to), 302);
  }

  /**
   * Accepts only the response to a sign-in that this browser began, once. Always redirects to a clean URL, so that
   * codes and tokens stay neither in the history nor visible to a page.
   */
  async callback(
    ctx: RequestContext,
    query: Readonly<Record<string, unknown>>,
    request: Request,
    response: Response,
  ): Promise<void> {
    if (answerPrefetch(request, response)) return;
    if (Object.keys(query).length === 0) return this.login(request, response, null);
    const signIn = await this.hosted.readAnswer(ctx, query, request, response);
    const session = await this.sso.find(request);
    const isIn =
      signIn !== null &&
      // A user who signed in on the hosted page has an SSO session in this browser. A token from elsewhere must not
      // create a console session, which would be on no list of sign-ins, and which "Sign out everywhere else" would not
      // end.
      session?.userId === signIn.proof.userId &&
      typeof (await this.entrance.identify(signIn.proof.userId, signIn.amr)) !== 'string' &&
      (await this.begin(request, response, signIn, session.id, signIn.confirms));
    redirectTo(response, isIn ? landing(signIn.to) : '/console/login', 303);
  }

  /**
   * @param confirms true if the operator was already signed in and has authenticated again
   * @returns false if the account has changed since: the operator must sign in again
   */
  private async begin(
    request: Request,
    response: Response,
    { proof, amr, authTime }: SignedIn,
    ssoSessionId: string,
    confirms: boolean,
  ): Promise<boolean> {
    const facts = { amr, authTime, ssoSessionId };
    try {
      if (confirms) await this.sessions.renew(request, response, proof, facts);
      else await this.sessions.begin(request, response, proof, facts);
      return true;
    } catch (error) {
      if (error instanceof ProofOutdated) return false;
      throw error;
    }
  }

  /** Requires authentication even with a valid session. @param to console page to return to */
  async confirm(response: Response, to: string | null): Promise<void> {
    const address = await this.hosted.begin(response, to, true);
    redirectTo(response, `${address}&prompt=login`, 303);
  }

  /** For a signed-in user who administers nothing. */
  async sendNoAccess(response: Response): Promise<void> {
    const address = await this.hosted.begin(response, null);
    await this.pages.send(response, {
      view: 'errors/error',
      title: 'Nothing to administer',
      status: 403,
      model: {
        heading: 'Nothing to administer',
        message: 'You do not have access: this account does not administer any tenant or app.',
        developer: null,
        requestId: response.getHeader('X-Request-Id'),
        backUrl: `${address}&prompt=login`,
        backLabel: 'Use another account',
      },
    });
  }
}

function landing(to: string | null): string {
  return to === null ? HOME : pathAfterSignIn(to);
}
