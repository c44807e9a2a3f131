import { Controller, HttpCode, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { UserSessionsService } from '../../admin/people/user-sessions.service.js';
import { ConsolePage } from '../frame/console-page.js';
import { ConsolePages } from '../frame/console-pages.js';
import { type ConsoleVisit, Visit } from '../frame/console-visit.js';

const ENDED = 'Ended. An app that is open there may take some minutes to notice.';

/** Signing somebody out somewhere. */
@Controller('console/users/:user_id')
export class PersonSessionsController {
  constructor(
    private readonly sessions: UserSessionsService,
    private readonly pages: ConsolePages,
  ) {}

  @Post('sessions/:session_id/end')
  @ConsolePage('platform_admin')
  @HttpCode(303)
  async endBrowser(
    @Visit() visit: ConsoleVisit,
    @Param('user_id') id: string,
    @Param('session_id') sessionId: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.sessions.endBrowser(visit.ctx, id, sessionId);
    await this.pages.leave(visit, response, `/console/users/${id}/sessions`, ENDED);
  }

  @Post('sign-ins/:sign_in_id/end')
  @ConsolePage('app_admin')
  @HttpCode(303)
  async endApp(
    @Visit() visit: ConsoleVisit,
    @Param('user_id') id: string,
    @Param('sign_in_id') signInId: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.sessions.endApp(visit.ctx, id, signInId.toLowerCase());
    await this.pages.leave(visit, response, `/console/users/${id}/sessions`, ENDED);
  }
}
