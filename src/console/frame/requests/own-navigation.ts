import { Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { isPrefetch } from '../../../common/http/browser/prefetch.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import { isOwnNavigation } from '../../../common/http/browser/own-navigation.rules.js';
import { CONFIRM_PARAMETER, isActingLink } from '../../login/console-path.rules.js';

/**
 * Whether a GET may have an effect: the user followed a link on a page of the service, and the browser is not
 * prefetching.
 */
@Injectable()
export class OwnNavigation {
  private readonly ownOrigin: string;

  constructor(@Inject(SETTINGS) settings: Settings) {
    this.ownOrigin = new URL(settings.baseUrl).origin;
  }

  /** Only for paths that the sign-in knows as actions; all others always ask for confirmation. */
  judge(request: Request): boolean {
    if (!isActingLink(request.path) || request.query[CONFIRM_PARAMETER] !== undefined) return false;
    return this.isFollowed(request);
  }

  /** Whether the user followed a link on a page of the service: not on another site, and not a prefetch. */
  isFollowed(request: Request): boolean {
    return isOwnNavigation(request.headers, this.ownOrigin) && !isPrefetch(request);
  }
}
