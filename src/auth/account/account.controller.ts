import { Controller, Get, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import { ApiFoundResponse, ApiOkResponse, ApiOperation, ApiSeeOtherResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { message } from '../../common/i18n/message.js';
import { Browser } from '../../common/http/access-marks.js';
import { redirectTo } from '../../common/http/redirect-to.js';
import { Ctx } from '../../common/http/context.decorator.js';
import type { RequestContext } from '../../common/request-context.js';
import { cleanDisplayName, DISPLAY_NAME_LENGTH } from '../../users/display-name.rules.js';
import { VerificationRequests } from '../email-links/verification-requests.service.js';
import { BrowserSignOut } from '../session/browser-sign-out.js';
import { AccountVisits } from './account-visits.js';
import { readNotice } from './account-notices.js';
import { AccountPages } from './account-pages.js';
import { OwnProfileService } from './own-profile.service.js';
import { AccountPage } from './account-page.js';

/** The account page, its profile and e-mail cards, and sign-out. */
@ApiTags('Account')
@Controller('account')
@AccountPage()
export class AccountController {
  constructor(
    private readonly visits: AccountVisits,
    private readonly pages: AccountPages,
    private readonly profile: OwnProfileService,
    private readonly verification: VerificationRequests,
    private readonly browserSignOut: BrowserSignOut,
  ) {}

  @Get()
  @Browser()
  @ApiOperation({ summary: 'A person’s own account', description: 'By SSO cookie.' })
  @ApiOkResponse({ description: 'HTML' })
  @ApiFoundResponse({ description: 'To the sign-in, if there is no session' })
  async show(
    @Ctx() ctx: RequestContext,
    @Query('done') done: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const visit = await this.visits.enter(ctx, request, response);
    if (visit) await this.pages.show(response, visit, readNotice(done));
  }

  @Post('profile')
  @Browser()
  @HttpCode(303)
  @ApiSeeOtherResponse({ description: 'Back to the account page, with a message' })
  @ApiOperation({ summary: 'The page’s form for the name and the language' })
  async rename(@Ctx() ctx: RequestContext, @Req() request: Request, @Res() response: Response): Promise<void> {
    const visit = await this.visits.submit(ctx, request, response);
    if (!visit) return;
    const { fields } = visit;
    const name = (fields['display_name'] ?? '').trim();
    if (cleanDisplayName(name) === null || [...name].length > DISPLAY_NAME_LENGTH) {
      const errors = [{ field: 'display_name', message: message('fields.name_missing', { max: DISPLAY_NAME_LENGTH }) }];
      return this.pages.show(response, visit, null, { status: 422, errors, fields });
    }
    await this.profile.update(visit.holder, { displayName: name, language: fields['locale'] });
    this.visits.leaveWith(response, 'renamed');
  }

  @Post('verification')
  @Browser()
  @HttpCode(303)
  @ApiSeeOtherResponse({ description: 'Back to the account page, with a message' })
  @ApiOperation({ summary: 'The page’s button for a verification link', description: 'The same words over the limit.' })
  async sendLink(@Ctx() ctx: RequestContext, @Req() request: Request, @Res() response: Response): Promise<void> {
    const visit = await this.visits.submit(ctx, request, response);
    if (!visit) return;
    await this.verification.request(visit.holder.user.id, null);
    this.visits.leaveWith(response, 'link-sent');
  }

  @Post('sign-out')
  @Browser()
  @HttpCode(303)
  @ApiSeeOtherResponse({ description: 'Back to the account page, with a message' })
  @ApiOperation({ summary: 'Sign out of this browser' })
  async signOut(@Ctx() ctx: RequestContext, @Req() request: Request, @Res() response: Response): Promise<void> {
    const visit = await this.visits.submit(ctx, request, response);
    if (!visit) return;
    await this.browserSignOut.end(visit.holder.ctx, request, response);
    redirectTo(response, '/account/signed-out');
  }

  @Get('signed-out')
  @Browser()
  @ApiOperation({ summary: 'Page after signing out' })
  @ApiOkResponse({ description: 'HTML' })
  signedOut(@Res() response: Response): Promise<void> {
    return this.pages.showSignedOut(response);
  }
}
