import { Injectable } from '@nestjs/common';
import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import { Refusal } from '../../../common/refusal.js';
import type { RequestContext } from '../../../common/request-context.js';
import { RateLimitsService } from '../../../rate-limits/rate-limits.service.js';
import { ClientAuthenticator, type ClientCredentials } from '../../clients/client-authenticator.js';
import { ClientCounters } from '../../clients/client-counters.js';
import { InvalidClient } from '../../protocol/tokens.errors.js';

/** Counts wrong codes by client and network address. */
@Injectable()
export class CodeFailures {
  constructor(
    private readonly authenticator: ClientAuthenticator,
    private readonly counters: ClientCounters,
    private readonly limits: RateLimitsService,
  ) {}

  /**
   * Runs work that uses a code for the client in the request, and counts a refusal. A client that authenticates is
   * neither counted nor refused because of other attempts: attackers can send codes to its callback, and all of its users
   * share the address of its server.
   * @param work gets null for an unknown client
   * @throws RateLimited, InvalidClient, and the errors of the work
   */
  async watch<T>(
    ctx: RequestContext,
    credentials: ClientCredentials,
    work: (client: RegisteredClient | null) => Promise<T>,
  ): Promise<T> {
    const proven = credentials.proof === null ? null : await this.authenticator.prove(ctx, credentials);
    if (proven) return work(proven);
    return this.counted(ctx, credentials, async () => {
      if (credentials.proof !== null) throw new InvalidClient();
      return work(await this.authenticator.identify(ctx, credentials));
    });
  }

  private async counted<T>(ctx: RequestContext, credentials: ClientCredentials, work: () => Promise<T>): Promise<T> {
    const caller = await this.counters.keyOf(ctx, credentials.clientId);
    return this.limits.whileLeft('code_failures', [caller], async (countFailure) => {
      try {
        return await work();
      } catch (error) {
        // Internal errors are not guesses: an outage must not use up the limit of a client.
        if (error instanceof Refusal) countFailure();
        throw error;
      }
    });
  }
}
