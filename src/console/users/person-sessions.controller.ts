import { Controller, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { UserSessionsService } from '../../admin/people/user-sessions.service.js';
import { SessionNotFound } from '../../auth/account/account.errors.js';
import { PLAIN_CONFIRMATION } from '../frame/confirmation.js';
import { ConsolePage } from '../frame/console-page.js';
import { ConsolePages } from '../frame/console-pages.js';
import { type ConsoleVisit, Visit } from '../frame/console-visit.js';
import { PersonModels } from './person-models.js';
import { PersonPages } from './person-pages.js';

const ENDED = 'Ended. An app that is open there may take some minutes to notice.';

interface SeenSession {
  readonly what: string;
  readonly since: { readonly words: string };
  /** Network address of a browser, device of an app. */
  readonly place: string;
}

/** Signing somebody out somewhere, after a question. */
@Controller('console/users/:user_id')
export class PersonSessionsController {
  constructor(
    private readonly sessions: UserSessionsService,
    private readonly people: PersonPages,
    private readonly models: PersonModels,
    private readonly pages: ConsolePages,
  ) {}

  @Get('sessions/:session_id/end')
  @ConsolePage('platform_admin')
  async askBrowser(
    @Visit() visit: ConsoleVisit,
    @Param('user_id') id: string,
    @Param('session_id') sessionId: string,
    @Res() response: Response,
  ): Promise<void> {
    const { browsers } = await this.seen(visit, id);
    const found = browsers.find((each) => each.id === sessionId.toLowerCase());
    await this.ask(visit, response, id, `sessions/${sessionId}`, found && { ...found, place: found.ip });
  }

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

  @Get('sign-ins/:sign_in_id/end')
  @ConsolePage('app_admin')
  async askApp(
    @Visit() visit: ConsoleVisit,
    @Param('user_id') id: string,
    @Param('sign_in_id') signInId: string,
    @Res() response: Response,
  ): Promise<void> {
    const { signIns } = await this.seen(visit, id);
    const found = signIns.find((each) => each.id === signInId.toLowerCase());
    await this.ask(visit, response, id, `sign-ins/${signInId}`, found && { ...found, place: found.detail });
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

  private async seen(visit: ConsoleVisit, id: string) {
    const [detail, seen] = await Promise.all([this.people.find(visit, id), this.sessions.list(visit.ctx, id)]);
    return this.models.sessions(detail, seen);
  }

  /** @throws SessionNotFound where it is over already, or none that the visitor may see */
  private async ask(
    visit: ConsoleVisit,
    response: Response,
    id: string,
    path: string,
    session: SeenSession | undefined,
  ): Promise<void> {
    if (!session) throw new SessionNotFound();
    const { user } = await this.people.find(visit, id);
    const base = `/console/users/${id}`;
    await this.pages.confirm(visit, response, {
      ...PLAIN_CONFIRMATION,
      title: `Sign ${user.displayName} out there?`,
      lead: path.startsWith('sessions/')
        ? 'The browser’s session ends, and with it the apps that were entered from it. They can sign in again.'
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
      button: 'Sign out there',
      cancelUrl: `${base}/sessions`,
    });
  }
}
