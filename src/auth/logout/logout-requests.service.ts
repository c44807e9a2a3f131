import { Inject, Injectable } from '@nestjs/common';
import { AppDirectory, type RegisteredClient } from '../../apps/directory/app-directory.js';
import { isSelfRegistered } from '../../apps/app/app-origin.rules.js';
import { ClientIds } from '../../apps/self-registered/client-ids.service.js';
import { isUuid } from '../../common/validation/fields.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import type { IdClaims } from '../../tokens/jwt/token-use.js';
import { TokenVerifier } from '../../tokens/jwt/token-verifier.js';
import {
  judgeClient,
  judgeTarget,
  type LogoutFault,
  type RawParameters,
  readParameters,
  type SentParameters,
} from './logout-request.rules.js';

/** A request to sign out, with what could be verified. */
export interface LogoutRequest {
  readonly sent: SentParameters;
  readonly client: RegisteredClient | null;
  /** Claims of a verified ID token; null: none. */
  readonly hint: Pick<IdClaims, 'sub' | 'sid'> | null;
  readonly uri: string | null;
}

/** Requests to sign out, checked against what the apps have registered. */
@Injectable()
export class LogoutRequests {
  constructor(
    private readonly verifier: TokenVerifier,
    private readonly directory: AppDirectory,
    private readonly clientIds: ClientIds,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async read(raw: RawParameters): Promise<LogoutRequest | { fault: LogoutFault }> {
    const read = readParameters(raw);
    if ('fault' in read) return read;
    const { sent } = read;
    const hint = sent.idTokenHint === null ? null : await this.verifier.readHint(sent.idTokenHint);
    const named = judgeClient(sent, hint?.aud ?? null);
    if ('fault' in named) return named;
    const appId = named.appId === null ? null : await this.clientIds.find(named.appId, null);
    const client = isUuid(appId) ? await this.directory.findOpenOfAnyOrigin(appId) : null;
    // For a client that no operator has checked, the browser is redirected only with an ID token of this client, and
    // only if that ends a session (see `LogoutFlow.begin`). Otherwise any page could use us to redirect to its own
    // address (RFC 9700 section 4.11).
    const isTrusted = client !== null && (hint !== null || !isSelfRegistered(client.app));
    const registered = isTrusted ? [...client.postLogoutRedirectUris, ...client.redirectUris] : null;
    const target = judgeTarget(sent, registered, this.settings.baseUrl);
    if ('fault' in target) return target;
    return { sent, client, hint, uri: target.uri };
  }
}
