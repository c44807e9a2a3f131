import { Controller, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { VisibleSessionsService } from '../../../admin/users/sessions/visible-sessions.service.js';
import { UserSessionsService } from '../../../admin/users/sessions/user-sessions.service.js';
import { SessionNotFound } from '../../../auth/account/own/account.errors.js';
import type { TimeInWords } from '../../../common/pages/time-in-words.js';
import { PLAIN_CONFIRMATION } from '../../frame/pages/confirmation.js';
import { ConsolePage } from '../../frame/pages/console-page.js';
import { ConsolePages } from '../../frame/pages/console-pages.js';
import { type ConsoleRequest, CurrentConsoleRequest } from '../../frame/requests/console-request.js';
import { UserModels } from '../page/user-models.js';
import { UserPages } from '../page/user-pages.js';

const ENDED = 'The session was ended. Apps that are open there may take a few minutes to sign the user out.';

interface SeenSession {
  readonly what: string;
  readonly since: Pick<TimeInWords, 'words'>;
  /** Network address of a browser, or device of an app. */
  readonly place: string;
}

/** Ends a session of a user, after a confirmation. */
@Controller('console/users/:user_id')
export class UserSessionsController {
  constructor(
    private readonly sessions: UserSessionsService,
    private readonly seenSessions: VisibleSessionsService,
    private readonly userPages: UserPages,
    private readonly models: UserModels,
    private readonly pages: ConsolePages,
  ) {}

  @Get('sessions/:session_id/end')
  @ConsolePage('platform_admin')
  async askBrowser(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('user_id') id: string,
    @Param('session_id') sessionId: string,
    @Res() response: Response,
  ): Promise<void> {
    const { browsers } = await this.seen(consoleRequest, id);
    const found = browsers.find((each) => each.id === sessionId.toLowerCase());
    await this.ask(consoleRequest, response, id, `sessions/${sessionId}`, found && { ...found, place: found.ip });
  }

  @Post('sessions/:session_id/end')
  @ConsolePage('platform_admin')
  @HttpCode(303)
  async endBrowser(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('user_id') id: string,
    @Param('session_id') sessionId: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.sessions.endBrowser(consoleRequest.ctx, id, sessionId);
    await this.pages.redirectWithFlash(consoleRequest, response, `/console/users/${id}/sessions`, ENDED);
  }

  @Get('sign-ins/:sign_in_id/end')
  @ConsolePage('app_admin')
  async askApp(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('user_id') id: string,
    @Param('sign_in_id') signInId: string,
    @Res() response: Response,
  ): Promise<void> {
    const { signIns } = await this.seen(consoleRequest, id);
    const found = signIns.find((each) => each.id === signInId.toLowerCase());
    await this.ask(consoleRequest, response, id, `sign-ins/${signInId}`, found && { ...found, place: found.detail });
  }

  @Post('sign-ins/:sign_in_id/end')
  @ConsolePage('app_admin')
  @HttpCode(303)
  async endApp(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('user_id') id: string,
    @Param('sign_in_id') signInId: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.sessions.endApp(consoleRequest.ctx, id, signInId.toLowerCase());
    await this.pages.redirectWithFlash(consoleRequest, response, `/console/users/${id}/sessions`, ENDED);
  }

  private async seen(consoleRequest: ConsoleRequest, id: string) {
    const [detail, seen] = await Promise.all([
      this.userPages.find(consoleRequest, id),
      this.seenSessions.list(consoleRequest.ctx, id),
    ]);
    return this.models.sessions(detail, seen);
  }

  /** @throws SessionNotFound if it has ended, or if the operator may not see it */
  private async ask(
    consoleRequest: ConsoleRequest,
    response: Response,
    id: string,
    path: string,
    session: SeenSession | undefined,
  ): Promise<void> {
    if (!session) throw new SessionNotFound();
    const { user } = await this.userPages.find(consoleRequest, id);
    const base = `/console/users/${id}`;
    await this.pages.confirm(consoleRequest, response, {
      ...PLAIN_CONFIRMATION,
      title: `End this session of ${user.displayName}?`,
      lead: path.startsWith('sessions/')
        ? 'This ends the browser session and the app sessions that started from it. They can sign in again.'
        : 'The app’s refresh tokens stop working on that device. They can sign in again.',
      area: 'users',
      crumbs: [
        { label: 'Users', href: '/console/users' },
        { label: user.displayName, href: base },
      ],
      impact: [
        { label: 'Where', value: [session.what, session.place].filter(Boolean).join(', ') },
        { label: 'Signed in', value: session.since.words },
      ],
      isDanger: true,
      action: `${base}/${path}/end`,
      button: 'End session',
      cancelUrl: `${base}/sessions`,
    });
  }
}
