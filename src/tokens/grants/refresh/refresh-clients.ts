import { Injectable } from '@nestjs/common';
import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import type { RequestContext } from '../../../common/request-context.js';
import { ClientAuthenticator, type ClientCredentials } from '../../clients/client-authenticator.js';
import { ClientCounters } from '../../clients/client-counters.js';

/** Clients that refresh tokens: their requests are counted before anything is read for them. */
@Injectable()
export class RefreshClients {
  constructor(
    private readonly authenticator: ClientAuthenticator,
    private readonly counters: ClientCounters,
  ) {}

  /** See {@link ClientAuthenticator.identify}. @throws RateLimited, InvalidClient */
  async identify(ctx: RequestContext, credentials: ClientCredentials): Promise<RegisteredClient | null> {
    await this.counters.consume(ctx, 'token_refresh', credentials.clientId);
    return this.authenticator.identify(ctx, credentials);
  }
}
