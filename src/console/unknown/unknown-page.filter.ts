import { Catch, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { prefersHtml } from '../../common/errors/error.filter.js';
import { ConsoleErrorFilter } from '../frame/pages/console-error.filter.js';

/**
 * A page in the console's frame for operators who are signed in; JSON for clients that ask for it, as for every other
 * unknown path.
 */
@Catch()
@Injectable()
export class UnknownPageFilter extends ConsoleErrorFilter {
  protected override wantsPage(request: Request): boolean {
    return prefersHtml(request);
  }
}
