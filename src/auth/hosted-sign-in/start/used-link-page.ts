import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import { prefersHtml } from '../../../common/errors/error.filter.js';
import { message } from '../../../common/i18n/message.js';
import { PageRenderer } from '../../../common/pages/page-renderer.js';
import type { AuthorizationRequest } from '../authorization-request/authorization-request.js';
import type { RawParameters } from '../authorization-request/authorization-request.rules.js';
import { UNIDENTIFIED } from '../attempts/attempt-facts.service.js';
import { type BoundAttempt, BrowserAttempts } from '../attempts/browser-attempts.js';
import { SignInAttempts } from '../attempts/sign-in-attempts.service.js';
import { InvalidMagicLink } from '../authorization-request/sign-in.errors.js';
import { SignInPages } from '../pages/sign-in-pages.js';
import { SignInService } from '../completion/sign-in.service.js';

const SPENT = {
  status: 400,
  form: {},
  errors: [{ field: null, message: message('sign-in.link_spent.used') }],
};

/** The page for a mailed sign-in link that is no longer valid. */
@Injectable()
export class UsedLinkPage {
  constructor(
    private readonly signIns: SignInService,
    private readonly states: SignInAttempts,
    private readonly attempts: BrowserAttempts,
    private readonly pages: SignInPages,
    private readonly renderer: PageRenderer,
  ) {}

  /**
   * GET /login?error=invalid_magic_link: shows the sign-in page of the saved request, or how to continue if there is
   * none.
   */
  async explain(raw: RawParameters, request: Request, response: Response): Promise<void> {
    const found = await this.attempts.find(raw['attempt'], request);
    const state = found && !found.attempt.finishedAt ? await this.states.readState(found.attempt) : null;
    if (!found || !state) return this.explainUnknown(response);
    await this.show(found, state.client, response);
  }

  /** As {@link explain}, for an app that redirects here with its own request. */
  async explainTo(
    client: RegisteredClient,
    requested: AuthorizationRequest,
    request: Request,
    response: Response,
  ): Promise<void> {
    await this.show(await this.attempts.begin(client.app.id, requested, null, request, response), client, response);
  }

  private async show({ attempt, secret }: BoundAttempt, client: RegisteredClient, response: Response): Promise<void> {
    const state = { attempt, client, ...UNIDENTIFIED };
    await this.pages.showStep(response, secret, this.signIns.firstStep(client), state, SPENT);
  }

  /** The link is incomplete, or was deleted long ago, so that no request is known. */
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
