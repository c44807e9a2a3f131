import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Response } from 'express';
import { hasStanding } from '../../auth/access/access.rules.js';
import type { Standing } from '../../common/http/access-marks.js';
import type { ContextualRequest } from '../../common/http/context.decorator.js';
import { InsufficientPermissions } from '../../common/http/http.refusals.js';
import type { VisitedRequest } from './console-visit.js';
import { ConsoleVisits } from './console-visits.service.js';

export const CONSOLE_STANDING = 'console-standing';

/**
 * The one guard of the console: finds out by the session who asks (a bearer token is not looked at), refuses forms that
 * are not ours, and builds the context with which pages call the services of the admin API.
 */
@Injectable()
export class ConsoleGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly visits: ConsoleVisits,
  ) {}

  async canActivate(host: ExecutionContext): Promise<boolean> {
    const request = host.switchToHttp().getRequest<ContextualRequest & VisitedRequest>();
    const response = host.switchToHttp().getResponse<Response>();
    const visit = await this.visits.enter(request, response);
    request.context = visit.ctx;
    request.consoleVisit = visit;
    if (!['GET', 'HEAD'].includes(request.method)) this.visits.checkForm(request, visit);
    const standing = this.reflector.getAllAndOverride<Standing | undefined>(CONSOLE_STANDING, [
      host.getHandler(),
      host.getClass(),
    ]);
    if (!standing || !hasStanding(visit.actor.authority, standing)) throw new InsufficientPermissions();
    return true;
  }
}
