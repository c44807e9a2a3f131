import { Inject, Injectable } from '@nestjs/common';
import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import { Randomness } from '../../../common/randomness.js';
import type { RequestContext } from '../../../common/request-context.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import { hashOpaqueToken, newOpaqueToken } from '../../../crypto/opaque-token.js';
import { clientAddressKey } from '../../../rate-limits/client-address.js';
import { RateLimitsService } from '../../../rate-limits/rate-limits.service.js';
import { resourcesOf } from '../../../tokens/protocol/resource.rules.js';
import {
  requestValues,
  type RawParameters,
  type RequestFault,
  readAppId,
  readRedirectUri,
  readRequest,
} from './authorization-request.rules.js';
import { PushedRequestsRepository } from './pushed-requests.repository.js';
import { InvalidPushedRequest } from './sign-in.errors.js';

const PREFIX = 'urn:ietf:params:oauth:request_uri:';

/** RFC 9126 section 2.2 recommends 5 to 600 seconds. The browser is redirected at once. */
const LIFETIME_SECONDS = 60;

/** An answer to POST /auth/par (RFC 9126 section 2.2). */
export interface PushedRequestResponse {
  readonly request_uri: string;
  /** Seconds. */
  readonly expires_in: number;
}

/** Pushed authorization requests: the app sends the request itself, and the browser only carries a reference to it. */
@Injectable()
export class PushedRequests {
  constructor(
    private readonly requests: PushedRequestsRepository,
    private readonly limits: RateLimitsService,
    private readonly randomness: Randomness,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * Counted by app, whose server sends all of them. An attacker could name the app without its secret and use up the
   * limit, so requests without authentication count like the sign-in pages that a network address opens.
   * @throws RateLimited
   */
  async count({ ip }: RequestContext, { app }: RegisteredClient, isProven: boolean): Promise<void> {
    if (isProven) await this.limits.consume('pushed_requests', app.id);
    else await this.limits.consume('login_page_ip', clientAddressKey(ip));
  }

  /**
   * Validated now, so that the app gets every error, and again when the browser comes.
   * @param client authenticated as at the token endpoint
   * @param jkt of the key that the client has proven to have: equivalent to `dpop_jkt` (RFC 9449 section 10.1)
   * @throws InvalidPushedRequest
   */
  async push(client: RegisteredClient, asked: RawParameters, jkt: string | null): Promise<PushedRequestResponse> {
    const { app } = client;
    const named = asked['dpop_jkt'] || null;
    if (jkt !== null && named !== null && named !== jkt)
      throw new InvalidPushedRequest({ error: 'invalid_request', description: 'dpop_jkt is not the key of the proof' });
    const given = jkt === null ? asked : { ...asked, dpop_jkt: jkt };
    const fault = this.judge(client, { ...given, client_id: given['client_id'] ?? app.id });
    if (fault) throw new InvalidPushedRequest(fault);
    const { token, hash } = newOpaqueToken(this.randomness);
    const parameters = { ...Object.fromEntries(requestValues(given)), client_id: app.id };
    await this.requests.insert(hash, app.id, parameters, LIFETIME_SECONDS);
    return { request_uri: PREFIX + token, expires_in: LIFETIME_SECONDS };
  }

  /**
   * Whether a request contains the reference of a pushed request, of any app. Other URIs refer to request objects
   * elsewhere.
   */
  isNamedBy({ request_uri: uri }: RawParameters): boolean {
    return typeof uri === 'string' && uri.startsWith(PREFIX);
  }

  /**
   * The request that this app pushed; null if the reference belongs to another app, is used or has expired. All other
   * parameters are ignored.
   */
  take({ app }: RegisteredClient, request: RawParameters): Promise<RawParameters | null> {
    return this.requests.take(referenceHashOf(request), app.id);
  }

  /** Id of the app that pushed the request; null if it is used. */
  findApp(request: RawParameters): Promise<string | null> {
    return this.requests.findApp(referenceHashOf(request));
  }

  private judge(client: RegisteredClient, raw: RawParameters): RequestFault | null {
    const { app, redirectUris } = client;
    if (raw['request_uri'] !== undefined)
      return { error: 'invalid_request', description: 'request_uri cannot be pushed' };
    if ('fault' in readAppId(raw))
      return { error: 'invalid_request', description: 'client_id differs from the authenticated client' };
    const target = readRedirectUri(raw, redirectUris, this.settings.baseUrl);
    if ('fault' in target)
      return { error: 'invalid_request', description: `redirect_uri is ${target.fault.problem.replace('_', ' ')}` };
    const read = readRequest(raw, target.redirectUri, app.config, true, resourcesOf(client));
    return 'fault' in read ? read.fault : null;
  }
}

function referenceHashOf({ request_uri: uri }: RawParameters): Buffer {
  return hashOpaqueToken(String(uri).slice(PREFIX.length));
}
