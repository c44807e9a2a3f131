import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { hasMinimumRole } from '../../../auth/access/access.rules.js';
import { RecentSignIn } from '../../../auth/access/confirmation/recent-sign-in.service.js';
import { CONSOLE_RECENT_SIGN_IN, type RecentSignInMark, type MinimumRole } from '../../../common/http/access-marks.js';
import type { ContextualRequest } from '../../../common/http/context.decorator.js';
import { InsufficientPermissions } from '../../../common/http/http.refusals.js';
import type { RequestWithConsole } from '../requests/console-request.js';
import { askWhoItIs } from '../requests/console.errors.js';
import { ConsoleRequests } from '../requests/console-requests.service.js';

export const MINIMUM_ROLE = 'console-minimum-role';

export interface ConsoleRecentSignIn {
  readonly mark: RecentSignInMark;
  /** Page with the form, relative to the form's path; empty: the same path. */
  readonly back: string;
}

/**
 * The only guard of the console: identifies the operator by the session (a bearer token is ignored), refuses forms
 * without a valid token, and builds the context for the services of the admin API.
 */
@Injectable()
export class ConsoleGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly consoleRequests: ConsoleRequests,
    private readonly recent: RecentSignIn,
  ) {}

  async canActivate(host: ExecutionContext): Promise<boolean> {
    const request = host.switchToHttp().getRequest<ContextualRequest & RequestWithConsole>();
    const response = host.switchToHttp().getResponse<Response>();
    const consoleRequest = await this.consoleRequests.enter(request, response);
    request.context = consoleRequest.ctx;
    request.consoleRequest = consoleRequest;
    if (!['GET', 'HEAD'].includes(request.method)) this.consoleRequests.checkForm(request, consoleRequest);
    const minimumRole = this.reflector.getAllAndOverride<MinimumRole | undefined>(MINIMUM_ROLE, [
      host.getHandler(),
      host.getClass(),
    ]);
    if (!minimumRole || !hasMinimumRole(consoleRequest.actor.authority, minimumRole))
      throw new InsufficientPermissions();
    const { mark, back } = this.reflector.get<ConsoleRecentSignIn>(CONSOLE_RECENT_SIGN_IN, host.getHandler());
    const { actor, session } = consoleRequest;
    const signedInRecently = await this.recent.isRecent(mark, actor, session);
    request.confirmationPage = pageOf(request, back);
    if (signedInRecently === false && (await this.recent.isRequired(mark, request)))
      throw askWhoItIs(request.confirmationPage);
    request.context = { ...consoleRequest.ctx, signedInRecently };
    request.consoleRequest = { ...consoleRequest, ctx: request.context };
    return true;
  }
}

/**
 * Where to continue after a new sign-in: always a page that asks, never the action. Keeps the query, except for
 * parameters that would make a link act.
 */
function pageOf({ originalUrl, path, method }: Request, back: string): string {
  const { pathname, searchParams } = new URL(method === 'GET' ? originalUrl : back || path, `http://console${path}`);
  searchParams.delete('reason');
  const query = searchParams.toString();
  // `back: '.'` ends in a slash.
  const page = back ? pathname.replace(/\/$/, '') : pathname;
  return query ? `${page}?${query}` : page;
}
