import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../../../common/request-context.js';
import { RateLimitsService } from '../../../rate-limits/rate-limits.service.js';
import { ClientAuthenticator, type ClientCredentials } from '../../clients/client-authenticator.js';
import { ClientCounters } from '../../clients/client-counters.js';
import { TokenMetrics } from '../../statistics/token-metrics.js';
import type { ServiceTokenResponse } from '../../protocol/token-response.view.js';
import { TokenSigner } from '../../jwt/token-signer.js';
import { findServerResource } from '../../protocol/resource.rules.js';
import { InvalidTarget } from '../../protocol/tokens.errors.js';
import { grantScopes } from './grant-scopes.rules.js';

const LIFETIME_SECONDS = 900;

/** RFC 6749 section 4.4: a server gets a token for its own app, with scopes of the app. */
@Injectable()
export class ClientCredentialsService {
  constructor(
    private readonly authenticator: ClientAuthenticator,
    private readonly counters: ClientCounters,
    private readonly limits: RateLimitsService,
    private readonly signer: TokenSigner,
    private readonly metrics: TokenMetrics,
  ) {}

  /** @throws RateLimited, InvalidClient, InvalidTarget, InvalidScope */
  async issue(
    ctx: RequestContext,
    credentials: ClientCredentials,
    requested: { readonly scope: string | null; readonly resource: string | null },
  ): Promise<ServiceTokenResponse> {
    await this.limits.consume('client_credentials', await this.counters.keyOf(ctx, credentials.clientId));
    const client = await this.authenticator.authenticate(ctx, credentials);
    const { app } = client;
    const resource = requested.resource === null ? null : findServerResource(client, requested.resource);
    if (requested.resource !== null && !resource) throw new InvalidTarget();
    const granted = resource
      ? grantScopes(resource.scopes, requested.scope, resource.scopes).join(' ')
      : grantScopes(client.scopes, requested.scope).join(' ');
    const lifetime = resource ? resource.token_lifetime_minutes * 60 : LIFETIME_SECONDS;
    const accessToken = await this.signer.signService(
      {
        ...{ sub: app.id, client_id: app.id, aud: resource?.identifier ?? app.id },
        ...{ tenant_id: app.tenantId, scope: granted },
        ...(credentials.key ? { cnf: { jkt: credentials.key.jkt } } : {}),
      },
      lifetime,
    );
    this.metrics.issued('service');
    const type = credentials.key ? 'DPoP' : 'bearer';
    return { access_token: accessToken, token_type: type, expires_in: lifetime, scope: granted };
  }
}
