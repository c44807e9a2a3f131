import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import { matchesRedirectUri } from '../../../apps/app/redirect-uri.rules.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import { type AuthorizationRequest, endsHere } from '../authorization-request/authorization-request.js';
import { BrowserAttempts } from '../attempts/browser-attempts.js';

/**
 * Finds the page for a mailed sign-in link that is no longer valid: the sign-in page of the same request, which
 * {@link UsedLinkPage} shows. The request is saved as an attempt of this browser, so that it stays complete. Without
 * the PKCE challenge, for example, the app could not redeem the code.
 */
@Injectable()
export class UsedLink {
  constructor(
    private readonly attempts: BrowserAttempts,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * Saves the request of the link.
   * @returns the URL to send the browser to
   */
  async leadBack(
    client: RegisteredClient | null,
    requested: AuthorizationRequest | null,
    request: Request,
    response: Response,
  ): Promise<string> {
    const parameters = new URLSearchParams({ error: 'invalid_magic_link' });
    if (client && requested) {
      parameters.set('app_id', client.app.id);
      parameters.set('redirect_uri', requested.redirectUri);
      if (requested.state !== null) parameters.set('state', requested.state);
      // The app may have removed the redirect URI since the link was requested.
      if (endsHere(requested) || matchesRedirectUri(client.redirectUris, requested.redirectUri, this.settings.baseUrl))
        parameters.set(
          'attempt',
          (await this.attempts.begin(client.app.id, requested, null, request, response)).attempt.id,
        );
    }
    return `/login?${parameters.toString()}`;
  }
}
