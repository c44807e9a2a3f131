import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { appBrand } from '../../apps/app-brand.js';
import type { RegisteredClient } from '../../apps/app-directory.js';
import { message, type Text } from '../../common/i18n/message.js';
import { PageRenderer } from '../../common/pages/page-renderer.js';
import type { RequestContext } from '../../common/request-context.js';
import { InvalidLink } from '../entry/auth.errors.js';
import { BrowserBinding } from '../session/browser-binding.js';
import { EmailVerificationService } from './email-verification.service.js';
import { VerificationLinks } from './verification-links.service.js';

const PURPOSE = 'verify-email';

/** The pages behind a mailed verification link. */
@Injectable()
export class VerificationPages {
  constructor(
    private readonly links: VerificationLinks,
    private readonly verification: EmailVerificationService,
    private readonly browser: BrowserBinding,
    private readonly pages: PageRenderer,
  ) {}

  async show(token: string, request: Request, response: Response): Promise<void> {
    const preview = await this.links.preview(token);
    if (!preview) return this.showSpent(response);
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

  async confirm(ctx: RequestContext, token: string, response: Response): Promise<void> {
    try {
      const client = await this.links.appOf(token);
      await this.verification.verify(ctx, token);
      const goOn = client
        ? message('sign-in.verify_email.done_lead', { app: client.app.name })
        : message('sign-in.verify_email.done_lead_no_app');
      await this.showDone(response, message('sign-in.verify_email.done'), goOn, client);
    } catch (error) {
      if (!(error instanceof InvalidLink)) throw error;
      await this.showSpent(response);
    }
  }

  async disown(ctx: RequestContext, token: string, request: Request, response: Response): Promise<void> {
    this.browser.checkForm(request, PURPOSE);
    try {
      await this.verification.disown(ctx, token);
      await this.showDone(
        response,
        message('sign-in.verify_email.removed'),
        message('sign-in.verify_email.removed_lead'),
      );
    } catch (error) {
      if (!(error instanceof InvalidLink)) throw error;
      await this.showSpent(response);
    }
  }

  private showDone(
    response: Response,
    heading: Text,
    lead: Text,
    client: RegisteredClient | null = null,
  ): Promise<void> {
    const brand = client ? appBrand(client) : undefined;
    return this.pages.send(response, {
      view: 'sign-in/done',
      title: heading,
      brand,
      model: { heading, message: lead },
    });
  }

  private showSpent(response: Response): Promise<void> {
    const heading = message('sign-in.link_spent');
    return this.pages.send(response, {
      view: 'sign-in/link-spent',
      title: heading,
      status: 400,
      model: { heading, message: message('sign-in.link_spent.verify'), again: null },
    });
  }
}
