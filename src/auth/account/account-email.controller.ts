import { Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiFoundResponse, ApiOkResponse, ApiOperation, ApiSeeOtherResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Browser } from '../../common/http/access-marks.js';
import { Ctx } from '../../common/http/context.decorator.js';
import { message, type Text } from '../../common/i18n/message.js';
import type { RequestContext } from '../../common/request-context.js';
import { emailAdvice, readEmail } from '../../common/validation/email.rules.js';
import { EmailTaken, NoEmailChange, WrongEmailCode } from '../email-change/stored/email-change.errors.js';
import { EmailChangeConfirmation } from '../email-change/email-change-confirmation.service.js';
import { EmailChangeRequests } from '../email-change/email-change-requests.service.js';
import { SsoSessionsService } from '../session/sso-sessions.service.js';
import { AccountEmailPages } from './account-email-pages.js';
import { AccountPage } from './page/account-page.js';
import { AccountVisits } from './page/account-visits.js';
import { limitedForm } from './page/limited-form.js';

/** The forms for another e-mail address: the address, and the code that was sent to it. */
@ApiTags('Account')
@Controller('account/email')
@AccountPage()
export class AccountEmailController {
  constructor(
    private readonly visits: AccountVisits,
    private readonly pages: AccountEmailPages,
    private readonly requests: EmailChangeRequests,
    private readonly confirmation: EmailChangeConfirmation,
    private readonly sessions: SsoSessionsService,
  ) {}

  @Get()
  @Browser()
  @ApiOperation({
    summary: 'Show the form to change the e-mail address, or to enter the code that was mailed to the new one',
    description: 'A new address requires a sign-in from the last five minutes.',
  })
  @ApiOkResponse({ description: 'HTML' })
  @ApiFoundResponse({ description: 'Redirects to the sign-in' })
  async show(@Ctx() ctx: RequestContext, @Req() request: Request, @Res() response: Response): Promise<void> {
    const visit = await this.visits.enter(ctx, request, response);
    if (!visit) return;
    const open = await this.requests.findOpen(visit.holder);
    if (open) return this.pages.showCode(response, visit, open.newEmail);
    const fresh = this.visits.orSignInAgain(visit, response, 'email');
    if (fresh) await this.pages.showAddress(response, fresh);
  }

  @Post()
  @Browser()
  @HttpCode(303)
  @ApiOperation({
    summary: 'Send a code to the new e-mail address',
    description:
      'Requires a sign-in from the last five minutes. The response does not tell whether another account has the address.',
  })
  @ApiSeeOtherResponse({ description: 'Redirects to the form for the code' })
  async ask(@Ctx() ctx: RequestContext, @Req() request: Request, @Res() response: Response): Promise<void> {
    const visit = await this.visits.submitFresh(ctx, request, response, 'email');
    if (!visit) return;
    const typed = visit.fields['email'] ?? '';
    const address = readEmail(typed);
    const error = address ? sameAddress(address.canonical, visit.holder.user.emailCanonical) : emailAdvice(typed);
    const again = (status: number, text: Text) =>
      this.pages.showAddress(response, visit, { status, typed, error: text });
    if (error || !address) return again(422, error ?? message('fields.email_malformed'));
    try {
      await this.requests.request(visit.holder, this.visits.isFresh(visit), address);
    } catch (refusal) {
      return again(429, limitedForm(refusal, response));
    }
    this.visits.leaveTo(response, '/account/email');
  }

  @Post('confirm')
  @Browser()
  @HttpCode(303)
  @ApiOperation({
    summary: 'Confirm the new e-mail address with the code',
    description: 'Ends every other session and every token. After five wrong codes, start again.',
  })
  @ApiSeeOtherResponse({ description: 'Redirects to the account page, which shows a message' })
  async confirm(@Ctx() ctx: RequestContext, @Req() request: Request, @Res() response: Response): Promise<void> {
    const visit = await this.visits.submit(ctx, request, response);
    if (!visit) return;
    const open = await this.requests.findOpen(visit.holder);
    if (!open) return this.visits.leaveWith(response, 'email-not-changed');
    const again = (status: number, text: Text) =>
      this.pages.showCode(response, visit, open.newEmail, { status, error: text });
    try {
      const code = visit.fields['code'] ?? '';
      const ssoToken = await this.confirmation.confirm(visit.holder, code, this.sessions.presented(request));
      if (ssoToken) this.sessions.send(response, ssoToken);
    } catch (error) {
      if (error instanceof NoEmailChange) return this.visits.leaveWith(response, 'email-not-changed');
      if (error instanceof WrongEmailCode) return again(400, message('account.email_change.wrong_code'));
      if (error instanceof EmailTaken) return again(409, message('account.email_change.taken'));
      throw error;
    }
    this.visits.leaveWith(response, 'email-changed');
  }

  @Post('cancel')
  @Browser()
  @HttpCode(303)
  @ApiOperation({ summary: 'Cancel a change of the e-mail address' })
  @ApiSeeOtherResponse({ description: 'Redirects to the account page' })
  async cancel(@Ctx() ctx: RequestContext, @Req() request: Request, @Res() response: Response): Promise<void> {
    const visit = await this.visits.submit(ctx, request, response);
    if (!visit) return;
    await this.requests.cancel(visit.holder);
    this.visits.leaveWith(response, null);
  }
}

function sameAddress(wanted: string, own: string): Text | null {
  return wanted === own ? message('account.email_change.same') : null;
}
