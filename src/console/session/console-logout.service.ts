import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { BrowserSignOut } from '../../auth/session/browser-sign-out.js';
import { SsoSessionsService } from '../../auth/session/sso-sessions.service.js';
import { ConsoleSessionEnd } from './console-session-end.js';
import type { RequestContext } from '../../common/request-context.js';
import { Transactions } from '../../database/transactions.js';
import { ConsoleSessionsService } from '../../operators/session/console-sessions.service.js';

/**
 * Signs out of the console and ends the browser's SSO session, which would otherwise sign in again with the next click.
 */
@Injectable()
export class ConsoleLogoutService {
  constructor(
    private readonly sessions: ConsoleSessionsService,
    private readonly sso: SsoSessionsService,
    private readonly sessionEnd: ConsoleSessionEnd,
    private readonly signOut: BrowserSignOut,
    private readonly transactions: Transactions,
  ) {}

  async isSignedIn(request: Request): Promise<boolean> {
    return (await this.sessions.find(request)) !== null || (await this.sso.find(request)) !== null;
  }

  async end(ctx: RequestContext, request: Request, response: Response): Promise<void> {
    const session = await this.sessions.find(request);
    const asThemselves = session ? await this.sessionEnd.contextOf(ctx, session) : ctx;
    this.sessions.clearCookie(response);
    const ssoToken = this.signOut.takeCookie(request, response);
    if (!session && !ssoToken) return;
    await this.transactions.run(async (tx) => {
      if (session) await this.sessionEnd.end(tx, asThemselves, session);
      if (ssoToken) await this.signOut.endSession(tx, asThemselves, ssoToken);
    });
  }
}
