import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { appBrand } from '../../apps/directory/app-brand.js';
import { message, type Text } from '../../common/i18n/message.js';
import { PageRenderer } from '../../common/pages/page-renderer.js';
import type { RequestContext } from '../../common/request-context.js';
import { dayInWords } from '../../common/pages/time-in-words.js';
import type { Proof } from '../../users/proof.js';
import { allowsMethod } from '../entry/methods/allows-method.rules.js';
import { AccountAdministers, InvalidLink } from '../entry/auth.errors.js';
import { BrowserBinding } from '../session/browser-binding.js';
import { type Confirmation, EmailVerificationService } from './email-verification.service.js';
import { keptAtVerification } from './kept-credentials.rules.js';
import { type LinkContinuation, LinkContinuations } from './link-continuations.js';
import { VerificationLinks } from './verification-links.service.js';

const PURPOSE = 'verify-email';

const DISOWNED = {
  deleted: message('sign-in.verify_email.removed_lead'),
  suspended: message('sign-in.verify_email.removed_suspended_lead'),
  switched_off: message('sign-in.verify_email.removed_switched_off_lead'),
};

/** The pages behind a mailed verification link. */
@Injectable()
export class VerificationPages {
  constructor(
    private readonly links: VerificationLinks,
    private readonly verification: EmailVerificationService,
    private readonly browser: BrowserBinding,
    private readonly onward: LinkContinuations,
    private readonly pages: PageRenderer,
  ) {}

  /** @param session of the browser; null: none */
  async show(token: string, session: Proof | null, request: Request, response: Response): Promise<void> {
    const preview = await this.links.preview(token);
    if (!preview) return this.showSpent(token, request, response);
    const { user, client } = preview;
    const asksWho = user.madeByOwner && !user.emailVerified;
    const kept = keptAtVerification(user, { isSignedIn: session?.userId === user.id, saysCreated: true });
    const ways = user.emailVerified ? {} : await this.links.listWays(user, kept === 'all');
    const formToken = this.browser.formToken(this.browser.ensure(request, response), PURPOSE);
    await this.pages.send(response, {
      view: 'sign-in/verify-email',
      title: asksWho ? message('sign-in.verify_email.asks_who') : message('sign-in.verify_email.title'),
      brand: client ? appBrand(client) : undefined,
      model: {
        ...ways,
        email: user.email,
        appName: client?.app.name ?? null,
        day: dayInWords(user.createdAt),
        asksWho,
        token,
        formToken,
        mayDisown: !user.emailVerified,
      },
    });
  }

  async confirm(
    ctx: RequestContext,
    token: string,
    by: Omit<Confirmation, 'passwordFor'>,
    request: Request,
    response: Response,
  ): Promise<void> {
    const client = (await this.links.preview(token))?.client ?? null;
    const passwordFor = client === null || allowsMethod(client.app, 'password') ? client : undefined;
    const done = message('sign-in.verify_email.done');
    try {
      const href = await this.verification.verify(ctx, token, { ...by, passwordFor });
      const onward = await this.onward.after(await this.links.find(token), request);
      if (href === null) return await this.showDone(response, done, onward);
      const action = { href, label: message('sign-in.verify_email.set_password') };
      await this.showDone(response, done, { ...onward, action }, message('sign-in.verify_email.set_password_lead'));
    } catch (error) {
      if (!(error instanceof InvalidLink)) throw error;
      await this.showSpent(token, request, response);
    }
  }

  async disown(ctx: RequestContext, token: string, request: Request, response: Response): Promise<void> {
    this.browser.checkForm(request, PURPOSE);
    // Read before, because the link is deleted with the account.
    const link = await this.links.find(token);
    let lead: Text;
    try {
      lead = DISOWNED[await this.verification.disown(ctx, token)];
    } catch (error) {
      if (error instanceof AccountAdministers) return this.showKept(response);
      if (!(error instanceof InvalidLink)) throw error;
      return this.showSpent(token, request, response);
    }
    // Without the request, so that the page does not continue a sign-in that began with the deleted account.
    const onward = await this.onward.after(link && { ...link, request: null }, request);
    await this.showDone(response, message('sign-in.verify_email.removed'), onward, lead);
  }

  private showKept(response: Response): Promise<void> {
    const heading = message('sign-in.verify_email.not_removed');
    const model = { heading, message: message('sign-in.verify_email.not_removed_lead'), action: null };
    return this.pages.send(response, { view: 'sign-in/done', title: heading, status: 409, model });
  }

  private showDone(
    response: Response,
    heading: Text,
    { brand, action }: LinkContinuation,
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
