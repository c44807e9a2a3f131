import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ClientCookie } from '../../common/http/browser/client-cookie.js';
import { SETTINGS, type Settings } from '../../config/settings.js';

const NAME = /^[a-z_]{1,32}$/;
const SECONDS = 180 * 24 * 3600;

/**
 * The sign-in method that was used last in this browser. A convenience: the cookie neither identifies a user nor proves
 * anything.
 */
@Injectable()
export class LastMethod {
  private readonly cookie: ClientCookie;

  constructor(@Inject(SETTINGS) settings: Settings) {
    this.cookie = new ClientCookie('last_method', settings.baseUrl, NAME);
  }

  read(request: Request): string | null {
    return this.cookie.read(request);
  }

  remember(response: Response, method: string): void {
    this.cookie.write(response, method, SECONDS);
  }
}
