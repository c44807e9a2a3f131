import { Controller, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiNotFoundResponse, ApiOperation, ApiSeeOtherResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Browser } from '../../common/http/access-marks.js';
import { Ctx } from '../../common/http/context.decorator.js';
import type { RequestContext } from '../../common/request-context.js';
import { AccountVisits } from './page/account-visits.js';
import { OwnSessionsService } from './own/own-sessions.service.js';
import { AccountPage } from './page/account-page.js';

/**
 * The actions of the card with sessions and devices. Each requires a sign-in in the last five minutes (ASVS 7.5.2): a
 * stolen cookie could otherwise end the owner's sign-ins, reset links and scheduled changes again and again.
 */
@ApiTags('Account')
@Controller('account')
@AccountPage()
export class AccountSessionsController {
  constructor(
    private readonly visits: AccountVisits,
    private readonly sessions: OwnSessionsService,
  ) {}

  @Post('sessions/:session_id/end')
  @Browser()
  @HttpCode(303)
  @ApiSeeOtherResponse({ description: 'Redirects to the account page, which shows a message' })
  @ApiOperation({
    summary: 'Sign out a browser',
    description:
      'Requires a sign-in from the last five minutes. Also ends the tokens of every app that the user signed in to from this browser.',
  })
  @ApiNotFoundResponse({ description: '`Session not found`, also for sessions of other users' })
  async endBrowser(
    @Ctx() ctx: RequestContext,
    @Param('session_id') id: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const visit = await this.visits.submitFresh(ctx, request, response, null);
    if (!visit) return;
    await this.sessions.endBrowser(visit.holder, id);
    this.visits.leaveWith(response, 'signed-out-there');
  }

  @Post('apps/:sign_in_id/end')
  @Browser()
  @HttpCode(303)
  @ApiSeeOtherResponse({ description: 'Redirects to the account page, which shows a message' })
  @ApiOperation({
    summary: 'Sign out an app on a device',
    description: 'Requires a sign-in from the last five minutes.',
  })
  @ApiNotFoundResponse({ description: '`Session not found`, also for sessions of other users' })
  async endApp(
    @Ctx() ctx: RequestContext,
    @Param('sign_in_id') id: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const visit = await this.visits.submitFresh(ctx, request, response, null);
    if (!visit) return;
    await this.sessions.endApp(visit.holder, id);
    this.visits.leaveWith(response, 'signed-out-there');
  }

  @Post('sessions/end-others')
  @Browser()
  @HttpCode(303)
  @ApiSeeOtherResponse({ description: 'Redirects to the account page, which shows a message' })
  @ApiOperation({
    summary: 'Sign out everywhere but here',
    description: 'Requires a sign-in from the last five minutes.',
  })
  async endOthers(@Ctx() ctx: RequestContext, @Req() request: Request, @Res() response: Response): Promise<void> {
    const visit = await this.visits.submitFresh(ctx, request, response, null);
    if (!visit) return;
    await this.sessions.endOthers(visit.holder);
    this.visits.leaveWith(response, 'signed-out-elsewhere');
  }
}
