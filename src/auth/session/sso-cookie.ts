import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ClientCookie } from '../../common/http/browser/client-cookie.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { KnownBrowserCookie } from './known-browsers/known-browser-cookie.js';

/** Maximum lifetime of a session, which using it does not extend. */
export const SSO_SESSION_SECONDS = 7 * 24 * 3600;

/** The cookie of the SSO session. The cookie of the known browser is sent with it. */
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
