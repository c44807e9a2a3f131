import { Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { redirectTo } from '../../common/http/redirect-to.js';
import { isUuid } from '../../common/validation/fields.js';
import type { Invite } from '../../invites/invite/invite.entity.js';
import { InvitesService } from '../../invites/creation/invites.service.js';
import { PLAIN_CONFIRMATION } from '../frame/pages/confirmation.js';
import { ConsolePage } from '../frame/pages/console-page.js';
import { ConsolePages } from '../frame/pages/console-pages.js';
import { type ConsoleRequest, CurrentConsoleRequest } from '../frame/requests/console-request.js';
import { readInviteList } from './invite-filter.js';
import { InvitePages, newInviteUrl } from './invite-pages.js';
import { resendQuestion, revokeQuestion } from './invite-questions.js';

/** Invites to all apps to which the operator can invite. */
@Controller('console/invites')
export class InvitePagesController {
  constructor(
    private readonly invites: InvitesService,
    private readonly list: InvitePages,
    private readonly pages: ConsolePages,
  ) {}

  @Get()
  @ConsolePage('app_manager', { recentSignIn: 'for_codes' })
  async show(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Query() query: Readonly<Record<string, unknown>>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const form = readInviteList(query);
    if (form.appId) await this.invites.getApp(consoleRequest.ctx, form.appId);
    await this.list.show(consoleRequest, form, request, response);
  }

  /** The form for a new invite is on the app's page. */
  @Get('new')
  @ConsolePage('app_manager')
  chooseApp(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Query() query: Readonly<Record<string, unknown>>,
    @Res() response: Response,
  ): Promise<void> | void {
    const { app_id: appId, app_q: search } = query;
    if (isUuid(appId)) return redirectTo(response, newInviteUrl(appId.toLowerCase()));
    return this.list.askForApp(consoleRequest, { search, isLacking: query['continue'] !== undefined }, response);
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
