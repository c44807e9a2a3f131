import { Inject, Injectable } from '@nestjs/common';
import { AppDirectory, type RegisteredClient } from '../../../apps/directory/app-directory.js';
import { ownClientId } from '../../../apps/app/client-id.rules.js';
import { ClientIds } from '../../../apps/self-registered/client-ids.service.js';
import { withOneResource } from '../../../common/http/bodies/oauth-forms.js';
import type { RequestContext } from '../../../common/request-context.js';
import { isUuid } from '../../../common/validation/fields.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import { resourcesOf } from '../../../tokens/protocol/resource.rules.js';
import { TokenVerifier } from '../../../tokens/jwt/token-verifier.js';
import { type AuthorizationResponse, faultResponse } from './authorization-response.rules.js';
import type { AuthorizationRequest } from './authorization-request.js';
import {
  type PageFault,
  type RawParameters,
  closedAppFault,
  readAppId,
  readRedirectUri,
  readRequest,
} from './authorization-request.rules.js';
import { PushedRequests } from './pushed-requests.service.js';

const SPENT = { parameter: 'request_uri', received: '', problem: 'spent' } as const;

/** A request to GET or POST /login after parsing. */
export type ReadAuthorization =
  | {
      readonly kind: 'request';
      readonly client: RegisteredClient;
      readonly asked: AuthorizationRequest;
      /** The parameters of `asked`. */
      readonly raw: RawParameters;
    }
  /** An error in the parameters that determine the redirect URI: can only be shown on a page. */
  | { readonly kind: 'page'; readonly fault: PageFault; readonly client: RegisteredClient | null }
  /** Any other error: sent to the app. */
  | { readonly kind: 'answer'; readonly answer: AuthorizationResponse; readonly client: RegisteredClient };

/** Validates requests of apps against their registration (RFC 6749 section 4.1.1). */
@Injectable()
export class AuthorizationRequests {
  constructor(
    private readonly directory: AppDirectory,
    private readonly verifier: TokenVerifier,
    private readonly pushed: PushedRequests,
    private readonly clientIds: ClientIds,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async read(ctx: RequestContext, parameters: RawParameters): Promise<ReadAuthorization> {
    const given = await this.named(ctx, withOneResource(parameters));
    const named = readAppId(given);
    if ('fault' in named) return { kind: 'page', fault: named.fault, client: null };
    const client = await this.findNamed(named.appId, given);
    if (!client?.isOpen) return { kind: 'page', fault: closedAppFault(named.appId, client), client };
    const isPushed = this.pushed.isNamedBy(given);
    const raw = isPushed ? await this.pushed.take(client, given) : given;
    if (!raw) return { kind: 'page', fault: SPENT, client };
    const target = readRedirectUri(raw, client.redirectUris, this.settings.baseUrl);
    if ('fault' in target) return { kind: 'page', fault: target.fault, client };
    const read = readRequest(raw, target.redirectUri, client.app.config, isPushed, resourcesOf(client));
    if ('fault' in read)
      return {
        kind: 'answer',
        answer: faultResponse(raw, target.redirectUri, read.fault, this.settings.baseUrl),
        client,
      };
    return { kind: 'request', client, asked: read.request, raw };
  }

  /**
   * Self-registered clients are only identified by `client_id`: their metadata is not refreshed for `app_id` (see
   * {@link named}).
   */
  private findNamed(appId: string, { client_id: clientId }: RawParameters): Promise<RegisteredClient | null> {
    return clientId ? this.directory.findOfAnyOrigin(appId) : this.directory.find(appId);
  }

  /** Replaces the URL of a client's metadata document by the app's id. */
  private async named(ctx: RequestContext, parameters: RawParameters): Promise<RawParameters> {
    const { client_id: clientId, resource } = parameters;
    if (typeof clientId !== 'string') return parameters;
    const id = this.pushed.isNamedBy(parameters)
      ? await this.pusherOf(parameters, clientId)
      : await this.clientIds.begin(ctx, clientId, resource);
    return { ...parameters, client_id: id };
  }

  /**
   * A pushed request determines the client: its metadata was read a minute ago, and the browser sends nothing else (RFC
   * 9126 section 4). Works also if several tenants have an app for the client.
   */
  private async pusherOf(parameters: RawParameters, clientId: string): Promise<string> {
    if (isUuid(clientId)) return clientId;
    const appId = await this.pushed.findApp(parameters);
    const client = appId === null ? null : await this.directory.findOfAnyOrigin(appId);
    const isTheirs = client !== null && ownClientId(client.app) === clientId;
    return isTheirs ? client.app.id : this.clientIds.find(clientId, null);
  }

  /**
   * The user that the app expects, from its request and from an ID token; both if both are given. Null: every user. With
   * `prompt=none` and an invalid ID token, no user is allowed (OpenID Connect Core 3.1.2.2), because no page can ask
   * for the right one.
   */
  async readSubject({
    raw,
    client,
    asked: { subject, prompt },
  }: Extract<ReadAuthorization, { kind: 'request' }>): Promise<readonly string[] | null> {
    const hinted = await this.readHint(raw, client);
    if (hinted === null && prompt === 'none' && raw['id_token_hint']) return [];
    if (hinted === null) return subject === null ? null : [subject].flat();
    return subject === null || subject.includes(hinted) ? [hinted] : [];
  }

  /**
   * The user of the app's own ID token in the request (OpenID Connect Core 3.1.2.1). An invalid one, because it was
   * changed or its key has been retired, is ignored: the app compares `sub` itself.
   */
  private async readHint(raw: RawParameters, { app }: RegisteredClient): Promise<string | null> {
    const hint = raw['id_token_hint'];
    const claims = typeof hint === 'string' ? await this.verifier.readHint(hint) : null;
    return claims?.aud === ownClientId(app) ? claims.sub : null;
  }
}
