import { Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { isLook } from '../../common/http/is-look.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { isOwnNavigation } from './own-navigation.rules.js';

/** Whether a GET may change something: somebody clicked a link of ours, and no browser is fetching ahead. */
@Injectable()
export class OwnNavigation {
  private readonly ownOrigin: string;

  constructor(@Inject(SETTINGS) settings: Settings) {
    this.ownOrigin = new URL(settings.baseUrl).origin;
  }

  judge(request: Request): boolean {
    return isOwnNavigation(request.headers, this.ownOrigin) && !isLook(request);
  }
}
