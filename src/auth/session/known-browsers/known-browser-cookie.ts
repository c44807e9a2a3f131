import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ClientCookie } from '../../../common/http/browser/client-cookie.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import { hashOpaqueToken } from '../../../crypto/opaque-token.js';
import { cookieValueFor } from './known-browser.rules.js';

/** The longest time for which browsers keep a cookie (RFC 6265bis: 400 days). Each sign-in renews it. */
const SECONDS = 400 * 24 * 3600;

/** A cookie that recognizes a browser. It neither identifies nor signs in a user, and remains after a sign-out. */
@Injectable()
export class KnownBrowserCookie {
  private readonly cookie: ClientCookie;
  /** The cookie of `BrowserBinding`: all tabs of a browser that has opened a hosted page send the same one. */
  private readonly binding: ClientCookie;

  constructor(@Inject(SETTINGS) settings: Settings) {
    this.cookie = new ClientCookie('known', settings.baseUrl);
    this.binding = new ClientCookie('browser', settings.baseUrl);
  }

  /**
   * SHA-256 of the cookie's value. Without that cookie, of the value that the first sign-in in any tab will set, which
   * is derived from the secret of `BrowserBinding`. Null if the request has neither cookie.
   */
  markOf(request: Request): Buffer | null {
    const value = this.valueOf(request);
    return value === null ? null : hashOpaqueToken(value);
  }

  /** The mark of a client that sent neither cookie and gets this one together with its session. */
  newMark(sessionToken: string): Buffer {
    return hashOpaqueToken(cookieValueFor(sessionToken));
  }

  /** Called when the session's cookie is sent. */
  send(response: Response, sessionToken: string): void {
    this.cookie.write(response, this.valueOf(response.req) ?? cookieValueFor(sessionToken), SECONDS);
  }

  private valueOf(request: Request): string | null {
    const secret = this.binding.read(request);
    return this.cookie.read(request) ?? (secret === null ? null : cookieValueFor(secret));
  }
}
