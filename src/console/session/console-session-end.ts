import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { RequestContext } from '../../common/request-context.js';
import { Transactions } from '../../database/transactions.js';
import { ConsoleEntrance } from '../../operators/console-entrance.js';
import { ImpersonationService } from '../../operators/impersonation/impersonation.service.js';
import { ConsoleSessionsService } from '../../operators/session/console-sessions.service.js';

/** Ends the console's session of a browser, with the impersonation in it. */
@Injectable()
export class ConsoleSessionEnd {
  constructor(
    private readonly sessions: ConsoleSessionsService,
    private readonly entrance: ConsoleEntrance,
    private readonly impersonations: ImpersonationService,
    private readonly transactions: Transactions,
  ) {}

  /** @returns the context of the operator who was signed in, for what else ends with the session */
  async end(ctx: RequestContext, request: Request, response: Response): Promise<RequestContext> {
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
    return asThemselves;
  }
}
