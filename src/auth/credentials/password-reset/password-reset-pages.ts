import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { message } from '../../../common/i18n/message.js';
import { PageRenderer } from '../../../common/pages/page-renderer.js';
import type { RequestContext } from '../../../common/request-context.js';
import { judgePassword, MAX_PASSWORD_LENGTH } from '../../../users/passwords/password.rules.js';
import { PasswordRefused } from '../../../users/users.errors.js';
import { LinkContinuations } from '../../email-links/link-continuations.js';
import { InvalidLink } from '../../entry/auth.errors.js';
import { appBrand } from '../../../apps/directory/app-brand.js';
import { BrowserBinding } from '../../session/browser-binding.js';
import type { FormError } from '../../../common/pages/form-error.js';
import { PasswordResetService } from './password-reset.service.js';
import { ResetLinks } from './reset-links.service.js';

const PURPOSE = 'reset-password';

/** The hosted page on which a new password is set. */
@Injectable()
export class PasswordResetPages {
  constructor(
    private readonly links: ResetLinks,
    private readonly resets: PasswordResetService,
    private readonly browser: BrowserBinding,
    private readonly onward: LinkContinuations,
    private readonly pages: PageRenderer,
  ) {}

  async show(token: string, request: Request, response: Response): Promise<void> {
    await this.showForm(token, request, response, []);
  }

  async submit(
    ctx: RequestContext,
    token: string,
    password: string,
    request: Request,
    response: Response,
  ): Promise<void> {
    this.browser.checkForm(request, PURPOSE);
    const verdict = judgePassword(password);
    if (verdict !== 'ok') {
      const advice =
        verdict === 'too_long'
          ? message('fields.too_long', { max: MAX_PASSWORD_LENGTH })
          : message('fields.password_missing');
      return this.showForm(token, request, response, [{ field: 'password', message: advice }], 422);
    }
    try {
      await this.resets.reset(ctx, token, password);
    } catch (error) {
      if (error instanceof InvalidLink) return this.showSpent(token, request, response);
      if (!(error instanceof PasswordRefused)) throw error;
      return this.showForm(token, request, response, [{ field: 'password', message: error.advice }], 400);
    }
    const heading = message('sign-in.reset.done');
    const { brand, action } = await this.onward.after(await this.links.findAny(token), request);
    await this.pages.send(response, {
      view: 'sign-in/done',
      title: heading,
      brand,
      model: { heading, message: message('sign-in.reset.done_lead'), action },
    });
  }

  private async showForm(
    token: string,
    request: Request,
    response: Response,
    errors: readonly FormError[],
    status = 200,
  ): Promise<void> {
    const preview = await this.links.preview(token);
    if (!preview) return this.showSpent(token, request, response);
    const { client, minimum } = preview;
    const formToken = this.browser.formToken(this.browser.ensure(request, response), PURPOSE);
    const model = { action: '/reset-password', token, formToken, minPasswordLength: minimum, errors };
    const brand = client ? appBrand(client) : undefined;
    await this.pages.send(response, {
      view: 'sign-in/reset-password',
      title: message('sign-in.reset.heading'),
      status,
      brand,
      model,
    });
  }

  private async showSpent(token: string, request: Request, response: Response): Promise<void> {
    const heading = message('sign-in.link_spent');
    const { brand, action } = await this.onward.after(await this.links.findAny(token), request);
    await this.pages.send(response, {
      view: 'sign-in/link-spent',
      title: heading,
      status: 410,
      brand,
      model: { heading, message: message('sign-in.link_spent.reset'), again: null, action },
    });
  }
}
