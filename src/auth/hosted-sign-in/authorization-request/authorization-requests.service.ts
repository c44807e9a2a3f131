import { Inject, Injectable } from '@nestjs/common';
import { AppDirectory, type RegisteredClient } from '../../../apps/directory/app-directory.js';
import { ownClientId } from '../../../apps/app/client-id.rules.js';
import { ClientIds } from '../../../apps/self-registered/client-ids.service.js';
import type { RequestContext } from '../../../common/request-context.js';
import { isUuid } from '../../../common/validation/fields.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import { resourcesOf } from '../../../tokens/protocol/resource.rules.js';
import { TokenVerifier } from '../../../tokens/jwt/token-verifier.js';
import { type AuthorizationAnswer, faultAnswer } from './authorization-answer.rules.js';
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

/** A request to GET or POST /login, as far as it could be read. */
export type ReadAuthorization =
  | {
      readonly kind: 'request';
      readonly client: RegisteredClient;
      readonly asked: AuthorizationRequest;
      /** What `asked` was read from. */
      readonly raw: RawParameters;
    }
  /** Wrong in what says where to answer: only a page can say so. */
  | { readonly kind: 'page'; readonly fault: PageFault; readonly client: RegisteredClient | null }
  /** Another fault: the app gets the error. */
  | { readonly kind: 'answer'; readonly answer: AuthorizationAnswer; readonly client: RegisteredClient };

/** Checks requests of apps against what the apps have registered (RFC 6749 section 4.1.1). */
@Injectable()
export class AuthorizationRequests {
  constructor(
    private readonly directory: AppDirectory,
    private readonly verifier: TokenVerifier,
    private readonly pushed: PushedRequests,
    private readonly clientIds: ClientIds,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async read(ctx: RequestContext, asked: RawParameters): Promise<ReadAuthorization> {
    const given = await this.named(ctx, asked);
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
        answer: faultAnswer(raw, target.redirectUri, read.fault, this.settings.baseUrl),
        client,
      };
    return { kind: 'request', client, asked: read.request, raw };
  }

  /** Clients that have registered themselves are named by `client_id` alone: for `app_id`, nothing looks at them again (see {@link named}). */
  private findNamed(appId: string, { client_id: clientId }: RawParameters): Promise<RegisteredClient | null> {
    return clientId ? this.directory.findOfAnyOrigin(appId) : this.directory.find(appId);
  }

  /** With the app's id in place of the address of a client's document. */
  private async named(ctx: RequestContext, asked: RawParameters): Promise<RawParameters> {
    const { client_id: clientId, resource } = asked;
    if (typeof clientId !== 'string') return asked;
    const id = this.pushed.isNamedBy(asked)
      ? await this.pusherOf(asked, clientId)
      : await this.clientIds.begin(ctx, clientId, resource);
    return { ...asked, client_id: id };
  }

  /**
   * What was pushed says whose it is: it has been read with the document a minute ago, and the browser brings nothing else (RFC 9126
   * section 4), also where several tenants know the client.
   */
  private async pusherOf(asked: RawParameters, clientId: string): Promise<string> {
    if (isUuid(clientId)) return clientId;
    const appId = await this.pushed.findApp(asked);
    const client = appId === null ? null : await this.directory.findOfAnyOrigin(appId);
    const isTheirs = client !== null && ownClientId(client.app) === clientId;
    return isTheirs ? client.app.id : this.clientIds.find(clientId, null);
  }

  /**
   * The user that the app expects, by its request and by an ID token; both if both are given. Null: any user. With `prompt=none`
   * no user is, if the ID token proves nothing (OpenID Connect Core 3.1.2.2): no page can ask who the app means.
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
   * Whom an ID token of the app's own names that it sends along (OpenID Connect Core 3.1.2.1). One that proves nothing,
   * because it was changed or its key has been retired, counts as none: the app compares `sub` itself.
   */
  private async readHint(raw: RawParameters, { app }: RegisteredClient): Promise<string | null> {
    const hint = raw['id_token_hint'];
    const claims = typeof hint === 'string' ? await this.verifier.readHint(hint) : null;
    return claims?.aud === ownClientId(app) ? claims.sub : null;
  }
}
