import { Inject, Injectable, Logger } from '@nestjs/common';
import { AppDirectory } from '../../apps/directory/app-directory.js';
import { matchesRedirectUri } from '../../apps/app/redirect-uri.rules.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { resourcesOf } from '../../tokens/protocol/resource.rules.js';
import { allowsMethod } from '../entry/methods/allows-method.rules.js';
import type { AuthorizationRequest } from '../hosted-sign-in/authorization-request/authorization-request.js';
import {
  type RawParameters,
  readRequest,
} from '../hosted-sign-in/authorization-request/authorization-request.rules.js';

/** The authorization request that an app sends together with a request for a sign-in link. */
@Injectable()
export class RequestedLink {
  private readonly logger = new Logger(RequestedLink.name);

  constructor(
    private readonly directory: AppDirectory,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * Reads and validates the authorization request before the link is mailed, so that the link can only continue at a
   * registered redirect URI.
   * @returns null if the app, the redirect URI or the request is not valid: no mail is sent then, and the response is
   *   the same 200 as for an unknown app or address
   */
  async readRequest(appId: string, raw: RawParameters): Promise<AuthorizationRequest | null> {
    const client = await this.directory.findOpen(appId);
    if (client && client.redirectUris.length === 0 && allowsMethod(client.app, 'magic_link'))
      this.logger.warn({ app_id: appId, message: 'A sign-in link was requested, but the app has no redirect URI' });
    const given = raw['redirect_uri'];
    const redirectUri = given ?? client?.redirectUris[0];
    if (
      !client ||
      typeof redirectUri !== 'string' ||
      !matchesRedirectUri(client.redirectUris, redirectUri, this.settings.baseUrl)
    )
      return null;
    const read = readRequest(raw, redirectUri, client.app.config, false, resourcesOf(client));
    return 'fault' in read ? null : read.request;
  }
}
