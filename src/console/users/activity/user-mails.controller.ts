import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { ConsolePage } from '../../frame/pages/console-page.js';
import { type ConsoleRequest, CurrentConsoleRequest } from '../../frame/requests/console-request.js';
import { MailList } from '../../mails/mail-list.js';
import { UserPages } from '../page/user-pages.js';

/** Mails to a user, as far as the operator may see them, including invites to their address. */
@Controller('console/users/:user_id/mails')
export class UserMailsController {
  constructor(
    private readonly userPages: UserPages,
    private readonly list: MailList,
  ) {}

  @Get()
  @ConsolePage('app_admin')
  async show(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('user_id') id: string,
    @Query() query: Readonly<Record<string, unknown>>,
    @Res() response: Response,
  ): Promise<void> {
    const detail = await this.userPages.find(consoleRequest, id);
    const { user } = detail;
    const list = await this.list.model(consoleRequest.ctx, query, {
      path: `/console/users/${user.id}/mails`,
      user: { id: user.id, email: user.emailCanonical },
    });
    await this.userPages.show(consoleRequest, response, detail, { tab: 'mails', view: 'mails', model: { list } });
  }
}
