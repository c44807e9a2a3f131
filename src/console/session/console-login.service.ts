import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { BearerTokens } from '../../auth/access/bearer-tokens.service.js';
import { SsoSessionsService } from '../../auth/session/sso-sessions.service.js';
import { NotAuthenticated } from '../../common/http/http.refusals.js';
import { answerPrefetch } from '../../common/http/prefetch.js';
import { redirectTo } from '../../common/http/redirect-to.js';
import { PageRenderer } from '../../common/pages/page-renderer.js';
import type { RequestContext } from '../../common/request-context.js';
import { AuthorizationCodesService } from '../../tokens/grants/authorization-codes.service.js';
import { RefreshTokensService } from '../../tokens/grants/refresh-tokens.service.js';
import { InvalidCode, InvalidCodeVerifier } from '../../tokens/tokens.errors.js';
import type { Proof } from '../../users/proof.js';
import { ProofOutdated } from '../../users/proof-outdated.js';
import { ConsoleEntrance } from './console-entrance.js';
import { pathAfterSignIn, readConsolePath } from './console-path.rules.js';
import { ConsoleSessionsService } from './console-sessions.service.js';
import { type Pending, PendingLogin } from './pending-login.js';

const HOME = '/console/';

/** A user who has proven who they are, and how. */
interface SignedIn {
  readonly proof: Proof;
  readonly amr: readonly string[];
  readonly authTime: Date;
}

/**
 * The way into the console: by the browser's SSO session, or through the hosted sign-in of the platform Console app.
 */
@Injectable()
export class ConsoleLoginService {
  constructor(
    private readonly entrance: ConsoleEntrance,
    private readonly sessions: ConsoleSessionsService,
    private readonly sso: SsoSessionsService,
    private readonly pending: PendingLogin,
    private readonly codes: AuthorizationCodesService,
    private readonly refreshTokens: RefreshTokensService,
    private readonly bearers: BearerTokens,
    private readonly pages: PageRenderer,
  ) {}

  /** @param wanted page of the console to go on to */
  async login(request: Request, response: Response, wanted: unknown): Promise<void> {
    if (answerPrefetch(request, response)) return;
    const to = readConsolePath(wanted);
    const own = await this.sessions.find(request);
    if (own && typeof (await this.entrance.identify(own.userId, own.amr)) !== 'string')
      return redirectTo(response, landing(to), 302);
    const session = await this.sso.find(request);
    const outcome = session ? await this.entrance.identify(session.userId, session.amr) : 'signed_out';
    if (outcome === 'signed_out') return redirectTo(response, await this.signInAddress(response, to), 302);
    if (outcome === 'no_access') return this.sendNoAccess(response);
    const signIn = { proof: session!, amr: session!.amr, authTime: session!.authTime };
    const isIn = await this.begin(request, response, signIn, session!.id, false);
    redirectTo(response, isIn ? landing(to) : await this.signInAddress(response, to), 302);
  }

  /**
   * Takes only the answer to this browser's own sign-in, once, and leaves a clean address behind whatever came of it:
   * codes and tokens stay neither in the history nor before the eyes of a page.
   */
  async callback(
    ctx: RequestContext,
    query: Readonly<Record<string, unknown>>,
    request: Request,
    response: Response,
  ): Promise<void> {
    if (answerPrefetch(request, response)) return;
    if (Object.keys(query).length === 0) return this.login(request, response, null);
    const pending = this.pending.read(request);
    this.pending.clear(response);
    const isOurs = pending !== null && query['state'] === pending.state;
    const person = isOurs ? await this.readAnswer(ctx, query, pending) : null;
    const outcome = person && (await this.entrance.identify(person.proof.userId, person.amr));
    if (!person || !outcome || typeof outcome === 'string') return redirectTo(response, '/console/login', 303);
    const session = await this.sso.find(request);
    const ssoSessionId = session?.userId === person.proof.userId ? session.id : null;
    const isIn = await this.begin(request, response, person, ssoSessionId, pending?.confirms ?? false);
    redirectTo(response, isIn ? landing(pending?.to ?? null) : '/console/login', 303);
  }

  /**
   * @param confirms they were inside already and have shown their credentials again
   * @returns false where the account has changed since: they have to sign in again
   */
  private async begin(
    request: Request,
    response: Response,
    { proof, amr, authTime }: SignedIn,
    ssoSessionId: string | null,
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

  /** Credentials again, whatever the browser's session says. @param to page of the console to come back to */
  async confirm(response: Response, to: string | null): Promise<void> {
    const address = await this.signInAddress(response, to, true);
    redirectTo(response, `${address}&prompt=login`, 303);
  }

  /** A signed-in user who administers nothing. */
  async sendNoAccess(response: Response): Promise<void> {
    const address = await this.signInAddress(response, null);
    await this.pages.send(response, {
      view: 'errors/error',
      title: 'Nothing to administer',
      status: 403,
      model: {
        heading: 'Nothing to administer',
        message: 'You do not have access: this account administers no tenant and no app.',
        developer: null,
        requestId: response.getHeader('X-Request-Id'),
        backUrl: `${address}&prompt=login`,
        backLabel: 'Use another account',
      },
    });
  }

  private async signInAddress(response: Response, to: string | null, confirms = false): Promise<string> {
    const known = await this.entrance.getConsole();
    const { state, codeChallenge } = this.pending.begin(response, to, confirms);
    const query = {
      app_id: known.app.id,
      redirect_uri: known.redirectUris[0]!,
      state,
      code_challenge: codeChallenge,
      code_challenge_method: 'S256',
    };
    return `/login?${new URLSearchParams(query).toString()}`;
  }

  private async readAnswer(
    ctx: RequestContext,
    query: Readonly<Record<string, unknown>>,
    pending: Pending,
  ): Promise<SignedIn | null> {
    const { code, access_token: token, refresh_token: refreshToken } = query;
    if (typeof code === 'string') return this.redeem(ctx, code, pending);
    if (typeof refreshToken === 'string') await this.refreshTokens.discard(refreshToken);
    return typeof token === 'string' ? this.readToken(token) : null;
  }

  /** The console works with its own session: the refresh token that comes with a code is given back at once. */
  private async redeem(ctx: RequestContext, code: string, pending: Pending): Promise<SignedIn | null> {
    const known = await this.entrance.getConsole();
    const redirectUri = known.redirectUris[0]!;
    const redemption = { code, codeVerifier: pending.codeVerifier, redirectUri, deviceId: null };
    try {
      const { grant, proof } = await this.codes.redeem(ctx, known, redemption);
      await this.refreshTokens.discard(grant.refreshToken);
      return { proof, amr: grant.amr, authTime: grant.authTime };
    } catch (error) {
      if (error instanceof InvalidCode || error instanceof InvalidCodeVerifier) return null;
      throw error;
    }
  }

  /**
   * The older form of the answer. Accepts only a token made for a Console app: another app could replay its own here.
   */
  private async readToken(token: string): Promise<SignedIn | null> {
    try {
      const bearer = await this.bearers.identify(`Bearer ${token}`);
      if (!('proof' in bearer) || !bearer.forConsole) return null;
      const { amr, auth_time } = bearer.claims;
      return { proof: bearer.proof, amr, authTime: new Date(auth_time * 1000) };
    } catch (error) {
      if (error instanceof NotAuthenticated) return null;
      throw error;
    }
  }
}

function landing(to: string | null): string {
  return to === null ? HOME : pathAfterSignIn(to);
}
