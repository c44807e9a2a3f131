import { ReauthenticationRequired } from '../../common/http/recent-sign-in.js';
import { message, type Text } from '../../common/i18n/message.js';
import { Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiFoundResponse, ApiOkResponse, ApiOperation, ApiSeeOtherResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Browser } from '../../common/http/access-marks.js';
import { Ctx } from '../../common/http/context.decorator.js';
import type { RequestContext } from '../../common/request-context.js';
import { redirectTo } from '../../common/http/redirect-to.js';
import { judgePassword, MAX_PASSWORD_LENGTH } from '../../users/passwords/password.rules.js';
import { PasswordRefused } from '../../users/users.errors.js';
import { CurrentPasswordIncorrect, NoPasswordSet, PasswordAlreadySet } from '../credentials/own/own-password.errors.js';
import { OwnPasswordService } from '../credentials/own/own-password.service.js';
import { SsoSessionsService } from '../session/sso-sessions.service.js';
import { accountSignInPath } from '../hosted-sign-in/authorization-request/account-sections.js';
import type { FormError } from '../../common/pages/form-error.js';
import { AccountVisits } from './page/account-visits.js';
import { AccountForms } from './page/account-forms.js';
import type { RejectedForm } from './page/account-pages.js';
import { AccountPage } from './page/account-page.js';
import { limitedForm } from './page/limited-form.js';

/** The form to change the password or to set the first one. */
@ApiTags('Account')
@Controller('account')
@AccountPage()
export class AccountPasswordController {
  constructor(
    private readonly visits: AccountVisits,
    private readonly forms: AccountForms,
    private readonly passwords: OwnPasswordService,
    private readonly sessions: SsoSessionsService,
  ) {}

  @Get('password')
  @Browser()
  @ApiOperation({
    summary: 'Show the form to set or change the password',
    description: 'A first password requires a sign-in from the last five minutes.',
  })
  @ApiOkResponse({ description: 'HTML' })
  @ApiFoundResponse({ description: 'Redirects to the sign-in' })
  async show(@Ctx() ctx: RequestContext, @Req() request: Request, @Res() response: Response): Promise<void> {
    const visit = await this.visits.enter(ctx, request, response);
    if (!visit) return;
    // Setting the first password asks for no current one, so the sign-in must be recent.
    if (visit.holder.user.passwordHash === null && !this.visits.isFresh(visit))
      return redirectTo(response, accountSignInPath({ fresh: true, section: 'password' }));
    await this.forms.showPassword(response, visit);
  }

  @Post('password')
  @Browser()
  @HttpCode(303)
  @ApiSeeOtherResponse({ description: 'Redirects to the account page, which shows a message' })
  @ApiOperation({ summary: 'Change the password' })
  async change(@Ctx() ctx: RequestContext, @Req() request: Request, @Res() response: Response): Promise<void> {
    const visit = await this.visits.submit(ctx, request, response);
    if (!visit) return;
    const { fields } = visit;
    const [current, fresh] = [fields['current_password'] ?? '', fields['new_password'] ?? ''];
    const errors = [
      ...judge('current_password', current, message('account.password.current_missing')),
      ...judge('new_password', fresh, message('account.password.new_missing')),
    ];
    if (errors.length > 0) return this.forms.showPassword(response, visit, { status: 422, errors, fields: {} });
    try {
      const presented = this.sessions.presented(request);
      const ssoToken = await this.passwords.change(visit.holder, current, fresh, presented);
      if (ssoToken) this.sessions.send(response, ssoToken);
      this.visits.leaveWith(response, 'password-changed');
    } catch (error) {
      if (error instanceof NoPasswordSet) return this.visits.leaveWith(response, null);
      const again = againAfter(error, response);
      await this.forms.showPassword(response, visit, again);
    }
  }

  @Post('first-password')
  @Browser()
  @HttpCode(303)
  @ApiSeeOtherResponse({ description: 'Redirects to the account page, which shows a message' })
  @ApiOperation({ summary: 'Set the first password', description: 'Requires a sign-in from the last five minutes.' })
  async set(@Ctx() ctx: RequestContext, @Req() request: Request, @Res() response: Response): Promise<void> {
    const visit = await this.visits.submit(ctx, request, response);
    if (!visit) return;
    const fresh = visit.fields['new_password'] ?? '';
    const errors = judge('new_password', fresh, message('fields.password_missing'));
    if (errors.length > 0) return this.forms.showPassword(response, visit, { status: 422, errors, fields: {} });
    try {
      const ssoToken = await this.passwords.set(visit.holder, fresh, this.sessions.presented(request));
      if (ssoToken) this.sessions.send(response, ssoToken);
      this.visits.leaveWith(response, 'password-set');
    } catch (error) {
      if (error instanceof PasswordAlreadySet) return this.visits.leaveWith(response, null);
      if (error instanceof ReauthenticationRequired) {
        return redirectTo(response, accountSignInPath({ fresh: true, section: 'password' }));
      }
      await this.forms.showPassword(response, visit, againAfter(error, response));
    }
  }
}

function judge(field: string, password: string, otherwise: Text): FormError[] {
  const verdict = judgePassword(password);
  if (verdict === 'ok') return [];
  const tooLong = message('fields.too_long', { max: MAX_PASSWORD_LENGTH });
  return [{ field, message: verdict === 'too_long' ? tooLong : otherwise }];
}

/** Refusals that the user can correct; all others go to the error filter. */
function againAfter(error: unknown, response: Response): RejectedForm {
  if (error instanceof CurrentPasswordIncorrect)
    return again(400, 'current_password', message('account.password.current_wrong'));
  if (error instanceof PasswordRefused) return again(400, 'new_password', error.advice);
  return again(429, null, limitedForm(error, response));
}

function again(status: number, field: string | null, text: Text): RejectedForm {
  return { status, errors: [{ field, message: text }], fields: {} };
}
