import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ClientCookie } from '../../common/http/browser/client-cookie.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { KnownBrowserCookie } from './known-browsers/known-browser-cookie.js';

/** From its beginning, however often it is used. */
export const SSO_SESSION_SECONDS = 7 * 24 * 3600;

/** The cookie of the SSO session. The cookie by which the browser is known again is sent along. */
@Injectable()
export class SsoCookie {
  private readonly cookie: ClientCookie;

  constructor(
    private readonly knownBrowser: KnownBrowserCookie,
    @Inject(SETTINGS) settings: Settings,
  ) {
    this.cookie = new ClientCookie('sso', settings.baseUrl);
  }

  read(request: Request): string | null {
    return this.cookie.read(request);
  }

  send(response: Response, token: string): void {
    this.cookie.write(response, token, SSO_SESSION_SECONDS);
    this.knownBrowser.send(response, token);
  }

  clear(response: Response): void {
    this.cookie.clear(response);
  }
}
