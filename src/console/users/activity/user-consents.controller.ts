import { Controller, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { VisibleSessionsService } from '../../../admin/users/sessions/visible-sessions.service.js';
import { UserConsents } from '../../../admin/users/sessions/user-consents.service.js';
import { ConsentNotFound } from '../../../tokens/protocol/tokens.errors.js';
import { PLAIN_CONFIRMATION } from '../../frame/pages/confirmation.js';
import { ConsolePage } from '../../frame/pages/console-page.js';
import { ConsolePages } from '../../frame/pages/console-pages.js';
import { type ConsoleRequest, CurrentConsoleRequest } from '../../frame/requests/console-request.js';
import { UserPages } from '../page/user-pages.js';

/** Revokes a user's consent to an app, after a confirmation. */
@Controller('console/users/:user_id/consents/:consented_app_id/revoke')
export class ConsoleUserConsentsController {
  constructor(
    private readonly consents: UserConsents,
    private readonly seen: VisibleSessionsService,
    private readonly userPages: UserPages,
    private readonly pages: ConsolePages,
  ) {}

  @Get()
  @ConsolePage('app_admin')
  async ask(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('user_id') id: string,
    @Param('consented_app_id') appId: string,
    @Res() response: Response,
  ): Promise<void> {
    const { user } = await this.userPages.find(consoleRequest, id);
    const { consents } = await this.seen.list(consoleRequest.ctx, id);
    const given = consents.filter((each) => each.appId === appId.toLowerCase());
    if (!given[0]) throw new ConsentNotFound();
    const base = `/console/users/${id}`;
    const scopes = [...new Set(given.flatMap((each) => each.scopes))];
    await this.pages.confirm(consoleRequest, response, {
      ...PLAIN_CONFIRMATION,
      title: `Remove the access of ${given[0].appName} to ${user.displayName}?`,
      lead: 'The app’s tokens for this user stop working immediately. At the next sign-in, the user is asked again.',
      area: 'users',
      crumbs: [
        { label: 'Users', href: '/console/users' },
        { label: user.displayName, href: base },
      ],
      impact: [{ label: 'Allowed', value: scopes.join(', ') || 'Nothing but the sign-in' }],
      isDanger: true,
      action: `${base}/consents/${given[0].appId}/revoke`,
      button: 'Remove access',
      cancelUrl: `${base}/sessions`,
    });
  }

  @Post()
  @ConsolePage('app_admin')
  @HttpCode(303)
  async revoke(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('user_id') id: string,
    @Param('consented_app_id') appId: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.consents.revoke(consoleRequest.ctx, id, appId.toLowerCase());
    await this.pages.redirectWithFlash(
      consoleRequest,
      response,
      `/console/users/${id}/sessions`,
      'The access was removed.',
    );
  }
}
