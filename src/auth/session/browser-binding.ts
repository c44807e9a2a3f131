import { createHmac, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ClientCookie } from '../../common/http/browser/client-cookie.js';
import { ClientCookieFamily } from '../../common/http/browser/client-cookie-family.js';
import { CrossSiteRequest } from '../../common/http/http.refusals.js';
import { Randomness } from '../../common/randomness.js';
import { isOwnNavigation } from '../../common/http/browser/own-navigation.rules.js';
import { judgeOrigin } from '../../common/http/browser/same-origin.rules.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { hashOpaqueToken, newOpaqueToken } from '../../crypto/opaque-token.js';

/**
 * A secret of this browser (a cookie without an account). Attempts are bound to it, and the form tokens of hosted pages
 * are made from it, so that neither another browser nor another site can continue a sign-in.
 *
 * A browser without the cookie that opens two sign-in pages at once is given two secrets, and keeps the later one. So a
 * first secret is also sent as a cookie of its attempt, which is read before the common one.
 */
@Injectable()
export class BrowserBinding {
  private readonly cookie: ClientCookie;
  private readonly attemptCookies: ClientCookieFamily;
  private readonly ownOrigin: string;

  constructor(
    private readonly randomness: Randomness,
    @Inject(SETTINGS) settings: Settings,
  ) {
    this.cookie = new ClientCookie('browser', settings.baseUrl);
    this.attemptCookies = new ClientCookieFamily('browser', settings.baseUrl);
    this.ownOrigin = new URL(settings.baseUrl).origin;
  }

  /** The browser's secret; a new one is set where there was none. */
  ensure(request: Request, response: Response): string {
    const known = this.cookie.read(request);
    if (known) return known;
    const { token } = newOpaqueToken(this.randomness);
    this.cookie.write(response, token);
    return token;
  }

  read(request: Request): string | null {
    return this.cookie.read(request);
  }

  /** The secret that this attempt was begun with. */
  readForAttempt(request: Request, attemptId: string): string | null {
    return this.attemptCookies.of(attemptId).read(request) ?? this.cookie.read(request);
  }

  /** For what names no attempt, such as the way back from a provider: of every secret that this browser holds. */
  readHashes(request: Request): Buffer[] {
    const common = this.cookie.read(request);
    const all = [...(common ? [common] : []), ...this.attemptCookies.readAll(request)];
    return all.map((secret) => this.hash(secret));
  }

  /** Sends a secret of {@link ensure} a second time where it is new, see above. */
  keepForAttempt(request: Request, response: Response, attemptId: string, secret: string, seconds: number): void {
    if (this.cookie.read(request) === null) this.attemptCookies.of(attemptId).write(response, secret, seconds);
  }

  hash(secret: string): Buffer {
    return hashOpaqueToken(secret);
  }

  /** @param purpose what the form acts on, e.g. the attempt's id */
  formToken(secret: string, purpose: string): string {
    return createHmac('sha256', secret).update(`form:${purpose}`).digest('base64url');
  }

  /**
   * @param sent the form's token, where it is not in a body that has been read (an upload)
   * @throws CrossSiteRequest unless the form came from a page that we showed to this very browser
   */
  checkForm(
    request: Request,
    purpose: string,
    sent: unknown = (request.body as Record<string, unknown> | undefined)?.['form_token'],
  ): void {
    if (!this.isOwnForm(request, purpose, sent)) throw new CrossSiteRequest();
  }

  /** As {@link checkForm}, of a page of this attempt. */
  checkAttemptForm(request: Request, attemptId: string): void {
    const sent = (request.body as Record<string, unknown> | undefined)?.['form_token'];
    const secret = this.readForAttempt(request, attemptId);
    if (!this.isFormOf(secret, request, attemptId, sent)) throw new CrossSiteRequest();
  }

  /** As {@link checkForm}, for a request that is something else where it is no form of ours. */
  isOwnForm(request: Request, purpose: string, sent: unknown): boolean {
    return this.isFormOf(this.cookie.read(request), request, purpose, sent);
  }

  private isFormOf(secret: string | null, request: Request, purpose: string, sent: unknown): boolean {
    if (judgeOrigin(request.headers, this.ownOrigin, 'form') === 'foreign') return false;
    if (!secret || typeof sent !== 'string') return false;
    const expected = Buffer.from(this.formToken(secret, purpose));
    const given = Buffer.from(sent);
    return given.length === expected.length && timingSafeEqual(given, expected);
  }

  /**
   * Whether a GET was sent by this form of a page of ours: it brings the form's token, in the query. That a browser
   * calls it `same-origin` says less: so it calls a click on any link of our pages, and an app's links are among them.
   */
  isSentByOwnForm(request: Request, purpose: string): boolean {
    const { headers, query } = request;
    if (headers['sec-fetch-site'] !== undefined && !isOwnNavigation(headers, this.ownOrigin)) return false;
    return this.isOwnForm(request, purpose, query['form_token']);
  }
}
