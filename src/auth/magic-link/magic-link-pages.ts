import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { message } from '../../common/i18n/message.js';
import { appBrand } from '../../apps/directory/app-brand.js';
import type { RegisteredClient } from '../../apps/directory/app-directory.js';
import { PageRenderer } from '../../common/pages/page-renderer.js';
import { UsersService } from '../../users/users.service.js';
import type { MailLink } from '../email-links/mail-link.entity.js';
import { SsoSessionsService } from '../session/sso-sessions.service.js';
import {
  type AuthorizationRequest,
  mailedRequest,
} from '../hosted-sign-in/authorization-request/authorization-request.js';
import { BrowserBinding } from '../session/browser-binding.js';

/** Purpose of the form that asks for another link. */
export const NEW_LINK_PURPOSE = 'magic-link-again';

/** Purpose of the form that uses this link. */
export function formOf(token: string): string {
  return `magic-link:${token}`;
}

export function requestIn(link: MailLink): AuthorizationRequest | null {
  const request = link.request as AuthorizationRequest | null;
  return request && mailedRequest(request);
}

/** The button of pages that cannot continue to an app. */
const TO_ACCOUNT = { href: '/account', label: message('sign-in.go_to_your_account') };

/** The pages behind a mailed sign-in link. */
@Injectable()
export class MagicLinkPages {
  constructor(
    private readonly users: UsersService,
    private readonly sessions: SsoSessionsService,
    private readonly browser: BrowserBinding,
    private readonly renderer: PageRenderer,
  ) {}

  /**
   * Shows which account the link is for: another user may have forwarded their own link, so that this browser signs in
   * to their account.
   */
  async showQuestion(
    token: string,
    link: MailLink,
    client: RegisteredClient,
    request: Request,
    response: Response,
  ): Promise<void> {
    const [user, signedIn] = await Promise.all([this.users.find(link.userId), this.sessions.find(request)]);
    const isOther = signedIn !== null && signedIn.userId !== link.userId;
    const other = isOther ? await this.users.find(signedIn.userId) : null;
    const target = requestIn(link);
    await this.renderer.send(response, {
      view: 'sign-in/magic-link',
      title: message('sign-in.password.title', { app: client.app.name }),
      brand: appBrand(client),
      formTargets: target ? [target.redirectUri] : [],
      uiLocales: target?.uiLocales,
      model: {
        action: '/auth/magic-link/verify',
        token,
        formToken: this.browser.formToken(this.browser.ensure(request, response), formOf(token)),
        email: user?.email ?? link.emailCanonical,
        otherEmail: other?.email ?? null,
      },
    });
  }

  async showSpent(
    token: string,
    link: MailLink | null,
    client: RegisteredClient | null,
    request: Request,
    response: Response,
  ): Promise<void> {
    const heading = message('sign-in.link_spent');
    const formToken = this.browser.formToken(this.browser.ensure(request, response), NEW_LINK_PURPOSE);
    const again = link && client && requestIn(link) ? { action: '/magic-link/again', token, formToken } : null;
    await this.renderer.send(response, {
      view: 'sign-in/link-spent',
      title: heading,
      status: 410,
      brand: client ? appBrand(client) : undefined,
      model: {
        heading,
        message: message('sign-in.link_spent.sign_in'),
        again,
        action: again ? null : TO_ACCOUNT,
      },
    });
  }

  async showSent(client: RegisteredClient | null, response: Response): Promise<void> {
    const heading = message('sign-in.mailbox.heading');
    const model = { heading, message: message('sign-in.mailbox.sign_in_link_again'), action: TO_ACCOUNT };
    const brand = client ? appBrand(client) : undefined;
    await this.renderer.send(response, { view: 'sign-in/done', title: heading, brand, model });
  }
}
