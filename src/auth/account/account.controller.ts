import { Controller, Get, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import { ApiFoundResponse, ApiOkResponse, ApiOperation, ApiSeeOtherResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Browser } from '../../common/http/access-marks.js';
import { redirectTo } from '../../common/http/redirect-to.js';
import { Ctx } from '../../common/http/context.decorator.js';
import type { RequestContext } from '../../common/request-context.js';
import { BrowserSignOut } from '../session/browser-sign-out.js';
import { AccountVisits } from './page/account-visits.js';
import { readNotice } from './page/account-notices.js';
import { AccountPages } from './page/account-pages.js';
import { AccountPage } from './page/account-page.js';

/** The account page, and sign-out. */
@ApiTags('Account')
@Controller('account')
@AccountPage()
export class AccountController {
  constructor(
    private readonly visits: AccountVisits,
    private readonly pages: AccountPages,
    private readonly browserSignOut: BrowserSignOut,
  ) {}

  @Get()
  @Browser()
  @ApiOperation({ summary: 'Show the account page', description: 'Requires the SSO cookie.' })
  @ApiOkResponse({ description: 'HTML' })
  @ApiFoundResponse({ description: 'Redirects to the sign-in if there is no session' })
  async show(
    @Ctx() ctx: RequestContext,
    @Query('done') done: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const visit = await this.visits.enter(ctx, request, response);
    if (visit) await this.pages.show(response, visit, readNotice(done));
  }

  @Post('sign-out')
  @Browser()
  @HttpCode(303)
  @ApiSeeOtherResponse({ description: 'Redirects to the account page, which shows a message' })
  @ApiOperation({ summary: 'Sign out of this browser' })
  async signOut(@Ctx() ctx: RequestContext, @Req() request: Request, @Res() response: Response): Promise<void> {
    const visit = await this.visits.submit(ctx, request, response);
    if (!visit) return;
    await this.browserSignOut.end(visit.holder.ctx, request, response);
    redirectTo(response, '/account/signed-out');
  }

  @Get('signed-out')
  @Browser()
  @ApiOperation({ summary: 'Show the page after signing out' })
  @ApiOkResponse({ description: 'HTML' })
  signedOut(@Res() response: Response): Promise<void> {
    return this.pages.showSignedOut(response);
  }
}
