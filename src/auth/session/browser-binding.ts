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
 * A secret of this browser, in a cookie that identifies no account. Sign-in attempts are bound to it, and the form
 * tokens of hosted pages are derived from it, so that neither another browser nor another site can continue a sign-in.
 *
 * A browser without the cookie that opens two sign-in pages at once gets two secrets, and keeps only the later one. So
 * a new secret is also sent in a cookie of its attempt, which is read before the common cookie.
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

  /** Returns the browser's secret. If the browser has none, creates one and sets its cookie. */
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

  /** The secret with which this attempt was begun. */
  readForAttempt(request: Request, attemptId: string): string | null {
    return this.attemptCookies.of(attemptId).read(request) ?? this.cookie.read(request);
  }

  /** Hashes of all secrets of this browser, for requests that name no attempt, such as the callback from a provider. */
  readHashes(request: Request): Buffer[] {
    const common = this.cookie.read(request);
    const all = [...(common ? [common] : []), ...this.attemptCookies.readAll(request)];
    return all.map((secret) => this.hash(secret));
  }

  /** If {@link ensure} has just created the secret, sends it in a cookie of the attempt too (see the class comment). */
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
   * @param sent the form token, if it is not in a body that was already parsed (an upload)
   * @throws CrossSiteRequest unless the form is from a page that was shown to this browser
   */
  checkForm(
    request: Request,
    purpose: string,
    sent: unknown = (request.body as Record<string, unknown> | undefined)?.['form_token'],
  ): void {
    if (!this.isOwnForm(request, purpose, sent)) throw new CrossSiteRequest();
  }

  /**
   * As {@link checkForm}, for a form on a page of this attempt.
   * @throws CrossSiteRequest
   */
  checkAttemptForm(request: Request, attemptId: string): void {
    const sent = (request.body as Record<string, unknown> | undefined)?.['form_token'];
    const secret = this.readForAttempt(request, attemptId);
    if (!this.isFormOf(secret, request, attemptId, sent)) throw new CrossSiteRequest();
  }

  /** As {@link checkForm}, but returns whether the form is valid instead of throwing. */
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
   * Whether a GET was sent by this form on a page of the service: its query contains the form token. `Sec-Fetch-Site:
   * same-origin` alone does not prove that, because a browser also sends it for every link on these pages, and some of
   * the links were set by apps.
   */
  isSentByOwnForm(request: Request, purpose: string): boolean {
    const { headers, query } = request;
    if (headers['sec-fetch-site'] !== undefined && !isOwnNavigation(headers, this.ownOrigin)) return false;
    return this.isOwnForm(request, purpose, query['form_token']);
  }
}
