import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ClientCookie } from '../../common/http/client-cookie.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { hashOpaqueToken } from '../../crypto/opaque-token.js';
import { cookieValueFor } from './known-browser.rules.js';

/** As long as browsers keep a cookie at all (RFC 6265bis, 400 days); renewed at each sign-in. */
const SECONDS = 400 * 24 * 3600;

/** By which a browser is known again. It says nothing about who, signs nobody in, and outlives a sign-out. */
@Injectable()
export class KnownBrowserCookie {
  private readonly cookie: ClientCookie;

  constructor(@Inject(SETTINGS) settings: Settings) {
    this.cookie = new ClientCookie('known', settings.baseUrl);
  }

  /** SHA-256 of the value that came along. */
  markOf(request: Request): Buffer | null {
    const value = this.cookie.read(request);
    return value === null ? null : hashOpaqueToken(value);
  }

  /** The mark of a browser that came without the cookie and gets it with this session. */
  newMark(sessionToken: string): Buffer {
    return hashOpaqueToken(cookieValueFor(sessionToken));
  }

  /** Together with the session's cookie. */
  send(response: Response, sessionToken: string): void {
    this.cookie.write(response, this.cookie.read(response.req) ?? cookieValueFor(sessionToken), SECONDS);
  }
}
