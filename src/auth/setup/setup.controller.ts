import { Body, Controller, Get, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { redirectTo } from '../../common/http/redirect-to.js';
import { message } from '../../common/i18n/message.js';
import { Browser } from '../../common/http/access-marks.js';
import { Ctx } from '../../common/http/context.decorator.js';
import { PageRenderer } from '../../common/pages/page-renderer.js';
import type { RequestContext } from '../../common/request-context.js';
import { emailAdvice } from '../../common/validation/email.rules.js';
import { DISPLAY_NAME_LENGTH, judgeDisplayName } from '../../users/display-name.rules.js';
import { judgePassword, MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../../users/passwords/password.rules.js';
import { PasswordRefused, UserAlreadyExists } from '../../users/users.errors.js';
import { BrowserBinding } from '../session/browser-binding.js';
import { SsoSessionsService } from '../session/sso-sessions.service.js';
import type { FormError } from '../../common/pages/form-error.js';
import { FirstAdminService } from './first-admin.service.js';

const PURPOSE = 'setup';

interface SetupForm {
  readonly token: string;
  readonly email: string;
  readonly displayName: string;
  readonly password: string;
}

/** The page behind the one-time link that makes the first platform admin. */
@ApiExcludeController()
@Controller('setup')
export class SetupController {
  constructor(
    private readonly firstAdmin: FirstAdminService,
    private readonly sessions: SsoSessionsService,
    private readonly browser: BrowserBinding,
    private readonly pages: PageRenderer,
  ) {}

  @Get()
  @Browser()
  async show(@Query('token') token: unknown, @Req() request: Request, @Res() response: Response): Promise<void> {
    const form = { token: typeof token === 'string' ? token : '', email: '', displayName: '', password: '' };
    if (!(await this.firstAdmin.isUsable(form.token))) return this.showSpent(response);
    await this.showForm(request, response, form, []);
  }

  @Post()
  @Browser()
  @HttpCode(303)
  async create(
    @Ctx() ctx: RequestContext,
    @Query('token') token: unknown,
    @Body() body: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    this.browser.checkForm(request, PURPOSE);
    const form = readForm(token, body);
    const errors = judgeForm(form);
    if (errors.length > 0) return this.showForm(request, response, form, errors, 422);
    try {
      const session = await this.firstAdmin.create(ctx, form.token, form, this.sessions.presented(request));
      if (session === null) return await this.showSpent(response);
      this.sessions.send(response, session);
      redirectTo(response, '/console/');
    } catch (error) {
      if (error instanceof UserAlreadyExists)
        return this.showForm(request, response, form, [{ field: 'email', message: message('setup.email_taken') }], 409);
      if (!(error instanceof PasswordRefused)) throw error;
      await this.showForm(request, response, form, [{ field: 'password', message: error.advice }], 422);
    }
  }

  private async showForm(
    request: Request,
    response: Response,
    form: SetupForm,
    errors: readonly FormError[],
    status = 200,
  ): Promise<void> {
    const secret = this.browser.ensure(request, response);
    await this.pages.send(response, {
      view: 'setup/first-admin',
      title: message('setup.title'),
      status,
      model: {
        action: `/setup?token=${encodeURIComponent(form.token)}`,
        formToken: this.browser.formToken(secret, PURPOSE),
        errors,
        email: form.email,
        displayName: form.displayName,
        minPasswordLength: MIN_PASSWORD_LENGTH,
      },
    });
  }

  private showSpent(response: Response): Promise<void> {
    const heading = message('sign-in.link_spent');
    return this.pages.send(response, {
      view: 'setup/unavailable',
      title: heading,
      status: 410,
      model: { heading },
    });
  }
}

function readForm(token: unknown, body: unknown): SetupForm {
  const fields = (body ?? {}) as Record<string, unknown>;
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  return {
    token: text(token),
    email: text(fields['email']),
    displayName: text(fields['display_name']).trim(),
    password: text(fields['password']),
  };
}

function judgeForm({ email, displayName, password }: SetupForm): FormError[] {
  const errors: FormError[] = [];
  const advice = emailAdvice(email);
  if (advice) errors.push({ field: 'email', message: advice });
  const name = judgeDisplayName(displayName);
  if (name === 'missing') errors.push({ field: 'display_name', message: message('setup.name_missing') });
  if (name === 'too_long')
    errors.push({ field: 'display_name', message: message('fields.too_long', { max: DISPLAY_NAME_LENGTH }) });
  const verdict = judgePassword(password, MIN_PASSWORD_LENGTH);
  if (verdict === 'too_short')
    errors.push({ field: 'password', message: message('fields.password_too_short', { min: MIN_PASSWORD_LENGTH }) });
  if (verdict === 'too_long')
    errors.push({ field: 'password', message: message('fields.too_long', { max: MAX_PASSWORD_LENGTH }) });
  return errors;
}
