import { Injectable } from '@nestjs/common';
import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import { Refusal } from '../../../common/refusal.js';
import type { RequestContext } from '../../../common/request-context.js';
import { ClientAuthenticator, type ClientCredentials } from '../../clients/client-authenticator.js';
import { ClientCounters } from '../../clients/client-counters.js';

/** Clients that refresh tokens, and their refused refreshes, per client and network address. */
@Injectable()
export class RefreshClients {
  constructor(
    private readonly authenticator: ClientAuthenticator,
    private readonly counters: ClientCounters,
  ) {}

  /**
   * Runs a refresh for the client. It is counted after it was refused: one that succeeds asks no counter, and what others have tried
   * refuses none.
   * @param work is given null for a client that there is not
   * @throws RateLimited in place of a refusal beyond the limit, InvalidClient, and what the work throws
   */
  async run<T>(
    ctx: RequestContext,
    credentials: ClientCredentials,
    work: (client: RegisteredClient | null) => Promise<T>,
  ): Promise<T> {
    try {
      return await work(await this.authenticator.identify(ctx, credentials));
    } catch (error) {
      if (error instanceof Refusal) await this.counters.consume(ctx, 'refresh_failures', credentials.clientId);
      throw error;
    }
  }
}
