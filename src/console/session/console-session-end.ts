import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RequestContext } from '../../common/request-context.js';
import { ConsoleEntrance } from '../../operators/console-entrance.js';
import { ImpersonationService } from '../../operators/impersonation/impersonation.service.js';
import type { LiveConsoleSession } from '../../operators/session/console-sessions.repository.js';
import { ConsoleSessionsService } from '../../operators/session/console-sessions.service.js';

/** Ends a console session, with its impersonation. */
@Injectable()
export class ConsoleSessionEnd {
  constructor(
    private readonly sessions: ConsoleSessionsService,
    private readonly entrance: ConsoleEntrance,
    private readonly impersonations: ImpersonationService,
  ) {}

  /** @returns the context of the session's operator, for everything that ends with it */
  async contextOf(ctx: RequestContext, session: LiveConsoleSession): Promise<RequestContext> {
    const own = await this.entrance.identify(session.userId, session.amr);
    return typeof own === 'string' ? ctx : { ...ctx, actor: own };
  }

  async end(tx: EntityManager, ctx: RequestContext, session: LiveConsoleSession): Promise<void> {
    if (await this.sessions.end(tx, session)) await this.impersonations.recordEnd(tx, ctx, session, 'signed_out');
  }
}
