import { Controller, Get, Param, Res } from '@nestjs/common';
import type { Response } from 'express';
import { VisibleSessionsService } from '../../../admin/users/sessions/visible-sessions.service.js';
import { ConsolePage } from '../../frame/pages/console-page.js';
import { type ConsoleRequest, CurrentConsoleRequest } from '../../frame/requests/console-request.js';
import { OwnApps } from '../../frame/requests/own-apps.js';
import { UserModels } from './user-models.js';
import { UserPages } from './user-pages.js';

/** One user, with one URL per tab. */
@Controller('console/users/:user_id')
export class UserController {
  constructor(
    private readonly userPages: UserPages,
    private readonly models: UserModels,
    private readonly apps: OwnApps,
    private readonly sessions: VisibleSessionsService,
  ) {}

  @Get()
  @ConsolePage('app_admin')
  async overview(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('user_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    const [detail, { apps, isSearchable }] = await Promise.all([
      this.userPages.find(consoleRequest, id),
      this.apps.select(consoleRequest, ''),
    ]);
    const model = await this.models.overview(consoleRequest, detail, apps, isSearchable);
    await this.userPages.show(consoleRequest, response, detail, { tab: 'overview', view: 'overview', model });
  }

  @Get('sessions')
  @ConsolePage('app_admin')
  async signedIn(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('user_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    const [detail, seen] = await Promise.all([
      this.userPages.find(consoleRequest, id),
      this.sessions.list(consoleRequest.ctx, id),
    ]);
    const model = await this.models.sessions(detail, seen);
    await this.userPages.show(consoleRequest, response, detail, { tab: 'sessions', view: 'sessions', model });
  }
}
