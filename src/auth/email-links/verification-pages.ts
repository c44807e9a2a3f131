import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { appBrand } from '../../apps/app-brand.js';
import { message, type Text } from '../../common/i18n/message.js';
import { PageRenderer } from '../../common/pages/page-renderer.js';
import type { RequestContext } from '../../common/request-context.js';
import { InvalidLink } from '../entry/auth.errors.js';
import { BrowserBinding } from '../session/browser-binding.js';
import { EmailVerificationService } from './email-verification.service.js';
import { type Onward, OnwardLink } from './onward-link.js';
import { VerificationLinks } from './verification-links.service.js';

const PURPOSE = 'verify-email';

/** The pages behind a mailed verification link. */
@Injectable()
export class VerificationPages {
  constructor(
    private readonly links: VerificationLinks,
    private readonly verification: EmailVerificationService,
    private readonly browser: BrowserBinding,
    private readonly onward: OnwardLink,
    private readonly pages: PageRenderer,
  ) {}

  async show(token: string, request: Request, response: Response): Promise<void> {
    const preview = await this.links.preview(token);
    if (!preview) return this.showSpent(token, request, response);
    const { user, client } = preview;
    const formToken = this.browser.formToken(this.browser.ensure(request, response), PURPOSE);
    await this.pages.send(response, {
      view: 'sign-in/verify-email',
      title: message('sign-in.verify_email.title'),
      brand: client ? appBrand(client) : undefined,
      model: {
        email: user.email,
        appName: client?.app.name ?? null,
        displayName: user.displayName,
        token,
        formToken,
        mayDisown: !user.emailVerified,
      },
    });
  }

  async confirm(ctx: RequestContext, token: string, request: Request, response: Response): Promise<void> {
    try {
      await this.verification.verify(ctx, token);
    } catch (error) {
      if (!(error instanceof InvalidLink)) throw error;
      return this.showSpent(token, request, response);
    }
    const link = await this.links.find(token);
    await this.showDone(response, message('sign-in.verify_email.done'), await this.onward.after(link, request));
  }

  async disown(ctx: RequestContext, token: string, request: Request, response: Response): Promise<void> {
    this.browser.checkForm(request, PURPOSE);
    // It goes with the account.
    const link = await this.links.find(token);
    try {
      await this.verification.disown(ctx, token);
    } catch (error) {
      if (!(error instanceof InvalidLink)) throw error;
      return this.showSpent(token, request, response);
    }
    const lead = message('sign-in.verify_email.removed_lead');
    // Not on with a sign-in that was begun with the account.
    const onward = await this.onward.after(link && { ...link, request: null }, request);
    await this.showDone(response, message('sign-in.verify_email.removed'), onward, lead);
  }

  private showDone(
    response: Response,
    heading: Text,
    { brand, action }: Onward,
    lead: Text = brand ? message('sign-in.verify_email.done_lead') : message('sign-in.verify_email.done_lead_no_app'),
  ): Promise<void> {
    return this.pages.send(response, {
      view: 'sign-in/done',
      title: heading,
      brand,
      model: { heading, message: lead, action },
    });
  }

  private async showSpent(token: string, request: Request, response: Response): Promise<void> {
    const heading = message('sign-in.link_spent');
    const { brand, action } = await this.onward.after(await this.links.find(token), request);
    await this.pages.send(response, {
      view: 'sign-in/link-spent',
      title: heading,
      status: 400,
      brand,
      model: { heading, message: message('sign-in.link_spent.verify'), again: null, action },
    });
  }
}
