import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { message } from '../../common/i18n/message.js';
import type { KnownApp } from '../../apps/app-directory.js';
import { matchesRedirectUri } from '../../apps/redirect-uri.rules.js';
import { prefersHtml } from '../../common/errors/error.filter.js';
import { PageRenderer } from '../../common/pages/page-renderer.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import type { AuthorizationRequest } from './authorization-request.js';
import type { RawParameters } from './authorization-request.rules.js';
import { type BoundAttempt, BrowserAttempts } from './browser-attempts.js';
import { InvalidMagicLink } from './sign-in.errors.js';
import { SignInPages } from './sign-in-pages.js';
import { SignInService } from './sign-in.service.js';

const SPENT = {
  status: 400,
  form: {},
  errors: [{ field: null, message: message('sign-in.link_spent.used') }],
};

/**
 * What follows a mailed sign-in link that signs nobody in: the sign-in page of the same request. The request is saved as
 * an attempt of this browser, so that nothing of it is lost: without the PKCE challenge, for one, the app could do
 * nothing with the code.
 */
@Injectable()
export class SpentLink {
  constructor(
    private readonly signIns: SignInService,
    private readonly attempts: BrowserAttempts,
    private readonly pages: SignInPages,
    private readonly renderer: PageRenderer,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Saves what the link was asked for. @returns where to send the browser */
  async leadBack(
    known: KnownApp | null,
    asked: AuthorizationRequest | null,
    request: Request,
    response: Response,
  ): Promise<string> {
    const parameters = new URLSearchParams({ error: 'invalid_magic_link' });
    if (known && asked) {
      parameters.set('app_id', known.app.id);
      parameters.set('redirect_uri', asked.redirectUri);
      if (asked.state !== null) parameters.set('state', asked.state);
      // The app may have taken the address back since the link was asked for.
      if (
        asked.purpose === 'account' ||
        matchesRedirectUri(known.redirectUris, asked.redirectUri, this.settings.baseUrl)
      )
        parameters.set('attempt', (await this.attempts.begin(known.app.id, asked, null, request, response)).attempt.id);
    }
    return `/login?${parameters.toString()}`;
  }

  /** GET /login?error=invalid_magic_link: the sign-in page of the saved request, or how to go on without one. */
  async explain(raw: RawParameters, request: Request, response: Response): Promise<void> {
    const found = await this.attempts.find(raw['attempt'], request);
    const state = found && !found.attempt.finishedAt ? await this.signIns.readState(found.attempt) : null;
    if (!found || !state) return this.explainUnknown(response);
    await this.show(found, state.known, response);
  }

  /** The same for an app that leads here itself, with a request of its own. */
  async explainTo(known: KnownApp, asked: AuthorizationRequest, request: Request, response: Response): Promise<void> {
    await this.show(await this.attempts.begin(known.app.id, asked, null, request, response), known, response);
  }

  private async show({ attempt, secret }: BoundAttempt, known: KnownApp, response: Response): Promise<void> {
    const state = { attempt, known, user: null, entry: null };
    await this.pages.showStep(response, secret, this.signIns.firstStep(known), state, SPENT);
  }

  /** Mangled by a mail program, or long gone: nothing is known about it, and nobody has made a mistake. */
  private async explainUnknown(response: Response): Promise<void> {
    if (!prefersHtml(response.req)) throw new InvalidMagicLink();
    const heading = message('sign-in.link_spent');
    await this.renderer.send(response, {
      view: 'sign-in/link-unknown',
      title: heading,
      status: 400,
      model: { heading, message: message('sign-in.link_spent.unknown'), accountUrl: '/account' },
    });
  }
}
