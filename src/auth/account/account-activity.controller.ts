import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiFoundResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Browser } from '../../common/http/access-marks.js';
import { Ctx } from '../../common/http/context.decorator.js';
import { message } from '../../common/i18n/message.js';
import type { RequestContext } from '../../common/request-context.js';
import { AccountPage } from './page/account-page.js';
import { AccountPages } from './page/account-pages.js';
import { AccountVisits } from './page/account-visits.js';
import { OwnActivity } from './own/own-activity.service.js';

/** The page of the user's own sign-ins and security events. */
@ApiTags('Account')
@Controller('account/activity')
@AccountPage()
export class AccountActivityController {
  constructor(
    private readonly visits: AccountVisits,
    private readonly pages: AccountPages,
    private readonly activity: OwnActivity,
  ) {}

  @Get()
  @Browser()
  @ApiOperation({ summary: 'Show recent activity', description: 'Shows the last 50 sign-ins and security events.' })
  @ApiOkResponse({ description: 'HTML' })
  @ApiFoundResponse({ description: 'Redirects to the sign-in if there is no session' })
  async show(@Ctx() ctx: RequestContext, @Req() request: Request, @Res() response: Response): Promise<void> {
    const visit = await this.visits.enter(ctx, request, response);
    if (!visit) return;
    const title = message('account.activity.heading');
    const model = { rows: await this.activity.list(visit.holder.user.id) };
    await this.pages.showAct(response, visit, { view: 'account/activity', layout: 'account', title, model });
  }
}
