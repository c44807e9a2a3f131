import { Injectable } from '@nestjs/common';
import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import { Refusal } from '../../../common/refusal.js';
import type { RequestContext } from '../../../common/request-context.js';
import { ClientAuthenticator, type ClientCredentials } from '../../clients/client-authenticator.js';
import { ClientCounters } from '../../clients/client-counters.js';

/** Clients that refresh tokens, and their refused refreshes by client and network address. */
@Injectable()
export class RefreshClients {
  constructor(
    private readonly authenticator: ClientAuthenticator,
    private readonly counters: ClientCounters,
  ) {}

  /**
   * Runs a refresh for the client. Only refusals are counted: a successful refresh reads no counter, and is not refused
   * because of other attempts.
   * @param work gets null for an unknown client
   * @throws RateLimited instead of a refusal beyond the limit, InvalidClient, and the errors of the work
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
