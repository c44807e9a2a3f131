import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { SsoSessionsService } from '../../auth/session/sso-sessions.service.js';
import type { RequestContext } from '../../common/request-context.js';
import { Transactions } from '../../database/transactions.js';
import { ImpersonationService } from '../../operators/impersonation/impersonation.service.js';
import { ConsoleEntrance } from '../../operators/console-entrance.js';
import { ConsoleSessionsService } from '../../operators/session/console-sessions.service.js';

/** The way out: the console's session ends and the browser's sign-in with it, or the next click would be inside again. */
@Injectable()
export class ConsoleLogoutService {
  constructor(
    private readonly sessions: ConsoleSessionsService,
    private readonly sso: SsoSessionsService,
    private readonly entrance: ConsoleEntrance,
    private readonly impersonations: ImpersonationService,
    private readonly transactions: Transactions,
  ) {}

  async isSignedIn(request: Request): Promise<boolean> {
    return (await this.sessions.find(request)) !== null || (await this.sso.find(request)) !== null;
  }

  async end(ctx: RequestContext, request: Request, response: Response): Promise<void> {
    const session = await this.sessions.find(request);
    const own = session && (await this.entrance.identify(session.userId, session.amr));
    const asThemselves = !own || typeof own === 'string' ? ctx : { ...ctx, actor: own };
    this.sessions.clearCookie(response);
    if (session) {
      await this.transactions.run(async (tx) => {
        if (await this.sessions.end(tx, session))
          await this.impersonations.recordEnd(tx, asThemselves, session, 'signed_out');
      });
    }
    await this.sso.end(asThemselves, request, response);
  }
}
