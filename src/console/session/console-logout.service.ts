import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { BrowserSignOut } from '../../auth/session/browser-sign-out.js';
import { SsoSessionsService } from '../../auth/session/sso-sessions.service.js';
import { ConsoleSessionEnd } from './console-session-end.js';
import type { RequestContext } from '../../common/request-context.js';
import { ConsoleSessionsService } from '../../operators/session/console-sessions.service.js';

/** The way out: the console's session ends and the browser's sign-in with it, or the next click would be inside again. */
@Injectable()
export class ConsoleLogoutService {
  constructor(
    private readonly sessions: ConsoleSessionsService,
    private readonly sso: SsoSessionsService,
    private readonly sessionEnd: ConsoleSessionEnd,
    private readonly signOut: BrowserSignOut,
  ) {}

  async isSignedIn(request: Request): Promise<boolean> {
    return (await this.sessions.find(request)) !== null || (await this.sso.find(request)) !== null;
  }

  async end(ctx: RequestContext, request: Request, response: Response): Promise<void> {
    const asThemselves = await this.sessionEnd.end(ctx, request, response);
    await this.signOut.end(asThemselves, request, response);
  }
}
