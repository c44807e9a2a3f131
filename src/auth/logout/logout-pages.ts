import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { message } from '../../common/i18n/message.js';
import { appBrand } from '../../apps/directory/app-brand.js';
import type { RegisteredClient } from '../../apps/directory/app-directory.js';
import { PageRenderer } from '../../common/pages/page-renderer.js';
import { UsersService } from '../../users/users.service.js';
import { BrowserBinding } from '../session/browser-binding.js';
import type { LogoutFault, SentParameters } from './logout-request.rules.js';

const FORM = 'logout';

export interface LogoutQuestion {
  readonly sent: SentParameters;
  readonly client: RegisteredClient | null;
  /** Where the browser continues; null: it stays here. */
  readonly uri: string | null;
  /** The user of the browser's session; null: it has expired, and the page names no user. */
  readonly userId: string | null;
}

/** The two pages of a sign-out: the question, and the error if the app's link is wrong. */
@Injectable()
export class LogoutPages {
  constructor(
    private readonly renderer: PageRenderer,
    private readonly users: UsersService,
    private readonly browser: BrowserBinding,
  ) {}

  /** @throws CrossSiteRequest unless the form is from {@link ask} and was shown to this browser */
  checkForm(request: Request): void {
    this.browser.checkForm(request, FORM);
  }

  async ask(request: Request, response: Response, { sent, client, uri, userId }: LogoutQuestion): Promise<void> {
    const user = userId === null ? null : await this.users.find(userId);
    await this.renderer.send(response, {
      view: 'sign-in/logout',
      title: message('sign-in.logout.heading'),
      brand: client ? appBrand(client) : undefined,
      formTargets: uri === null ? [] : [uri],
      model: {
        signedInAs: user?.email ?? null,
        appName: client?.app.name ?? null,
        goesOn: uri !== null,
        // Validated again when the form is submitted: values are not trusted because they were on a page.
        clientId: client?.app.id ?? '',
        target: uri === null ? '' : sent.target,
        state: uri === null ? '' : (sent.state ?? ''),
        formToken: this.browser.formToken(this.browser.ensure(request, response), FORM),
      },
    });
  }

  /** Responds with 400 and does not redirect, because the address may be an attacker's. The user stays signed in. */
  async showFault(requestId: string, response: Response, { parameter, received, problem }: LogoutFault): Promise<void> {
    const heading = message('sign-in.logout.link_broken');
    await this.renderer.send(response, {
      view: 'errors/error',
      title: heading,
      status: 400,
      model: {
        heading,
        message: message('sign-in.logout.link_broken_lead'),
        developer: { parameter, received, fix: FIXES[problem] },
        requestId,
        backUrl: '/logout',
        backLabel: message('sign-in.logout.sign_out_here'),
      },
    });
  }
}

const FIXES: Readonly<Record<LogoutFault['problem'], string>> = {
  repeated: 'Send this parameter exactly once.',
  too_long: 'Send less: no ID token of ours and no address that can be registered is that long.',
  not_registered:
    'Add exactly this address to the app’s sign-out addresses (config.post_logout_redirect_uris), in the console or by PUT /admin/apps/{app_id}.',
  other_client: 'The ID token was issued to another app. Send the id of the app that it was issued to, or none.',
};
