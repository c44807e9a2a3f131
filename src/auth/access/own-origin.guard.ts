import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { CrossSiteRequest } from '../../common/http/http.refusals.js';
import { judgeOrigin } from '../../common/http/browser/same-origin.rules.js';

/** For JSON routes that set or use a cookie: refuses requests from pages of another origin (login CSRF). */
@Injectable()
export class OwnOriginGuard implements CanActivate {
  private readonly ownOrigin: string;

  constructor(@Inject(SETTINGS) settings: Settings) {
    this.ownOrigin = new URL(settings.baseUrl).origin;
  }

  canActivate(host: ExecutionContext): boolean {
    const { headers } = host.switchToHttp().getRequest<Request>();
    if (judgeOrigin(headers, this.ownOrigin, 'api') === 'foreign') throw new CrossSiteRequest();
    return true;
  }
}
