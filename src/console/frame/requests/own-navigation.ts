import { Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { isPrefetch } from '../../../common/http/browser/prefetch.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import { isOwnNavigation } from '../../../common/http/browser/own-navigation.rules.js';
import { ASKS_FIRST, isActingLink } from '../../login/console-path.rules.js';

/** Whether a GET may change or spend something: a user clicked a link of ours, and no browser is fetching ahead. */
@Injectable()
export class OwnNavigation {
  private readonly ownOrigin: string;

  constructor(@Inject(SETTINGS) settings: Settings) {
    this.ownOrigin = new URL(settings.baseUrl).origin;
  }

  /** Only for the paths that a sign-in on the way knows as acts: whatever is not among them always asks. */
  judge(request: Request): boolean {
    if (!isActingLink(request.path) || request.query[ASKS_FIRST] !== undefined) return false;
    return this.isFollowed(request);
  }

  /** A link of our own pages was followed: not one from elsewhere, and not by a browser that fetches ahead. */
  isFollowed(request: Request): boolean {
    return isOwnNavigation(request.headers, this.ownOrigin) && !isPrefetch(request);
  }
}
