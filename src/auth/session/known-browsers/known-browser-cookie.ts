import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ClientCookie } from '../../../common/http/browser/client-cookie.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import { hashOpaqueToken } from '../../../crypto/opaque-token.js';
import { cookieValueFor } from './known-browser.rules.js';

/** As long as browsers keep a cookie at all (RFC 6265bis, 400 days); renewed at each sign-in. */
const SECONDS = 400 * 24 * 3600;

/** Recognizes a browser. It does not identify a user or sign them in, and outlives a sign-out. */
@Injectable()
export class KnownBrowserCookie {
  private readonly cookie: ClientCookie;
  /** Of `BrowserBinding`: every tab of a browser that has opened one of our pages sends the same. */
  private readonly binding: ClientCookie;

  constructor(@Inject(SETTINGS) settings: Settings) {
    this.cookie = new ClientCookie('known', settings.baseUrl);
    this.binding = new ClientCookie('browser', settings.baseUrl);
  }

  /** SHA-256 of the value that came along, or that this browser gets with its first sign-in in whichever tab. */
  markOf(request: Request): Buffer | null {
    const value = this.valueOf(request);
    return value === null ? null : hashOpaqueToken(value);
  }

  /** The mark of a client that came without any cookie and gets one with this session. */
  newMark(sessionToken: string): Buffer {
    return hashOpaqueToken(cookieValueFor(sessionToken));
  }

  /** Together with the session's cookie. */
  send(response: Response, sessionToken: string): void {
    this.cookie.write(response, this.valueOf(response.req) ?? cookieValueFor(sessionToken), SECONDS);
  }

  private valueOf(request: Request): string | null {
    const secret = this.binding.read(request);
    return this.cookie.read(request) ?? (secret === null ? null : cookieValueFor(secret));
  }
}
