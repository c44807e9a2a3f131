import { Injectable } from '@nestjs/common';
import { allowsTokenExchange } from '../../../apps/settings/app-config.rules.js';
import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import type { RequestContext } from '../../../common/request-context.js';
import { ClientAuthenticator, type ClientCredentials } from '../../clients/client-authenticator.js';
import { ClientCounters } from '../../clients/client-counters.js';
import { UnauthorizedClient } from '../../protocol/tokens.errors.js';

/** The apps whose server may exchange tokens. */
@Injectable()
export class ExchangeClients {
  constructor(
    private readonly authenticator: ClientAuthenticator,
    private readonly counters: ClientCounters,
  ) {}

  /** @throws RateLimited, InvalidClient, UnauthorizedClient */
  async authenticate(ctx: RequestContext, credentials: ClientCredentials): Promise<RegisteredClient> {
    await this.counters.consume(ctx, 'token_exchange', credentials.clientId);
    const client = await this.authenticator.authenticate(ctx, credentials);
    if (!allowsTokenExchange(client.app)) throw new UnauthorizedClient('Token exchange is turned off for this app');
    return client;
  }
}
