import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ClientCookie } from '../../common/http/browser/client-cookie.js';
import { SETTINGS, type Settings } from '../../config/settings.js';

const ID = /^[0-9a-f-]{36}$/;
const SECONDS = 180 * 24 * 3600;

/**
 * The app of the last hosted sign-in in this browser: the sign-in to the account page uses its methods and branding.
 * The cookie proves nothing.
 */
@Injectable()
export class LastApp {
  private readonly cookie: ClientCookie;

  constructor(@Inject(SETTINGS) settings: Settings) {
    this.cookie = new ClientCookie('last_app', settings.baseUrl, ID);
  }

  read(request: Request): string | null {
    return this.cookie.read(request);
  }

  remember(response: Response, appId: string): void {
    this.cookie.write(response, appId, SECONDS);
  }
}
