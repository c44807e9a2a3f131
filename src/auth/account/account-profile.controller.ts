import { Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiFoundResponse, ApiOkResponse, ApiOperation, ApiSeeOtherResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { message } from '../../common/i18n/message.js';
import { Browser } from '../../common/http/access-marks.js';
import { Ctx } from '../../common/http/context.decorator.js';
import type { RequestContext } from '../../common/request-context.js';
import { DISPLAY_NAME_LENGTH, judgeDisplayName } from '../../users/display-name.rules.js';
import { VerificationRequests } from '../email-links/verification-requests.service.js';
import { AccountForms } from './page/account-forms.js';
import { AccountPage } from './page/account-page.js';
import { AccountVisits } from './page/account-visits.js';
import { OwnProfileService } from './own/own-profile.service.js';

/** The form for name and language, and the button for a verification link. */
@ApiTags('Account')
@Controller('account')
@AccountPage()
export class AccountProfileController {
  constructor(
    private readonly visits: AccountVisits,
    private readonly forms: AccountForms,
    private readonly profile: OwnProfileService,
    private readonly verification: VerificationRequests,
  ) {}

  @Get('profile')
  @Browser()
  @ApiOperation({ summary: 'Show the form to change the name and the language' })
  @ApiOkResponse({ description: 'HTML' })
  @ApiFoundResponse({ description: 'Redirects to the sign-in if there is no session' })
  async show(@Ctx() ctx: RequestContext, @Req() request: Request, @Res() response: Response): Promise<void> {
    const visit = await this.visits.enter(ctx, request, response);
    if (visit) await this.forms.showProfile(response, visit);
  }

  @Post('profile')
  @Browser()
  @HttpCode(303)
  @ApiSeeOtherResponse({ description: 'Redirects to the account page, which shows a message' })
  @ApiOperation({ summary: 'Save the name and the language' })
  async rename(@Ctx() ctx: RequestContext, @Req() request: Request, @Res() response: Response): Promise<void> {
    const visit = await this.visits.submit(ctx, request, response);
    if (!visit) return;
    const { fields } = visit;
    const name = (fields['display_name'] ?? '').trim();
    if (judgeDisplayName(name) !== 'ok') {
      const errors = [{ field: 'display_name', message: message('fields.name_missing', { max: DISPLAY_NAME_LENGTH }) }];
      return this.forms.showProfile(response, visit, { status: 422, errors, fields });
    }
    await this.profile.update(visit.holder, { displayName: name, language: fields['locale'] });
    this.visits.leaveWith(response, 'renamed');
  }

  @Post('verification')
  @Browser()
  @HttpCode(303)
  @ApiSeeOtherResponse({ description: 'Redirects to the account page, which shows a message' })
  @ApiOperation({
    summary: 'Request a verification link',
    description: 'The page shows the same message if the limit is reached.',
  })
  async sendLink(@Ctx() ctx: RequestContext, @Req() request: Request, @Res() response: Response): Promise<void> {
    const visit = await this.visits.submit(ctx, request, response);
    if (!visit) return;
    await this.verification.request(visit.holder.user.id, null);
    this.visits.leaveWith(response, 'link-sent');
  }
}
