import { Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Invite } from '../../invites/invite.entity.js';
import { InvitesService } from '../../invites/invites.service.js';
import { PLAIN_CONFIRMATION } from '../frame/confirmation.js';
import { ConsolePage } from '../frame/console-page.js';
import { ConsolePages } from '../frame/console-pages.js';
import { type ConsoleRequest, CurrentConsoleRequest } from '../frame/console-request.js';
import { readPage } from '../frame/pager.js';
import { InvitePages } from './invite-pages.js';
import { resendQuestion, revokeQuestion } from './invite-questions.js';

/** Invites of one app at a time, across all apps that the visitor may invite to. */
@Controller('console/invites')
export class InvitePagesController {
  constructor(
    private readonly invites: InvitesService,
    private readonly list: InvitePages,
    private readonly pages: ConsolePages,
  ) {}

  @Get()
  @ConsolePage('app_manager')
  show(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Query('app_id') appId: unknown,
    @Query('app_q') search: unknown,
    @Query('page') page: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.list.show(consoleRequest, { appId, search }, readPage(page), request, response);
  }

  @Get(':invite_id/revoke')
  @ConsolePage('app_admin')
  async ask(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('invite_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    const { invite } = await this.invites.get(consoleRequest.ctx, id);
    await this.pages.confirm(consoleRequest, response, { ...asking(invite, 'revoke'), ...revokeQuestion(invite) });
  }

  @Post(':invite_id/revoke')
  @ConsolePage('app_admin')
  async revoke(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('invite_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    const { invite } = await this.invites.revoke(consoleRequest.ctx, id);
    await this.pages.redirectWithFlash(
      consoleRequest,
      response,
      `/console/invites?app_id=${invite.appId}`,
      'The invite was revoked.',
    );
  }

  @Get(':invite_id/resend')
  @ConsolePage('app_admin', { recentSignIn: 'for_authority' })
  async askToResend(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('invite_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    const { invite } = await this.invites.get(consoleRequest.ctx, id);
    await this.pages.confirm(consoleRequest, response, { ...asking(invite, 'resend'), ...resendQuestion(invite) });
  }

  @Post(':invite_id/resend')
  @ConsolePage('app_admin', { recentSignIn: 'for_authority' })
  async resend(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('invite_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    const { invite } = await this.invites.resend(consoleRequest.ctx, id, {});
    const words = invite.email ? `A new invite was sent to ${invite.email}.` : 'A new code was created.';
    await this.pages.redirectWithFlash(
      consoleRequest,
      response,
      `/console/invites?app_id=${invite.appId}`,
      `${words} The previous one no longer works.`,
    );
  }
}

function asking({ id, appId }: Invite, act: 'revoke' | 'resend') {
  const list = `/console/invites?app_id=${appId}`;
  return {
    ...PLAIN_CONFIRMATION,
    area: 'invites' as const,
    crumbs: [{ label: 'Invites', href: list }],
    action: `/console/invites/${id}/${act}`,
    cancelUrl: list,
  };
}
