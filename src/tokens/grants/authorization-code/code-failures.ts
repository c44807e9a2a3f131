import { Injectable } from '@nestjs/common';
import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import { Refusal } from '../../../common/refusal.js';
import type { RequestContext } from '../../../common/request-context.js';
import { RateLimitsService } from '../../../rate-limits/rate-limits.service.js';
import { ClientAuthenticator, type ClientCredentials } from '../../clients/client-authenticator.js';
import { ClientCounters } from '../../clients/client-counters.js';
import { InvalidClient } from '../../protocol/tokens.errors.js';

/** Wrong codes, per client and network address. */
@Injectable()
export class CodeFailures {
  constructor(
    private readonly authenticator: ClientAuthenticator,
    private readonly counters: ClientCounters,
    private readonly limits: RateLimitsService,
  ) {}

  /**
   * Runs what tries a code for the client that presents it; where it is refused, that counts. A client that proves who
   * it is is neither counted nor refused by what others have tried: strangers choose the codes that its callback is
   * given, and its users all come from the one address of its server.
   * @param work is given null for a client that there is not
   * @throws RateLimited, InvalidClient, and what the work throws
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
        // Our own errors are not guesses: an outage must not exhaust the limit of a client.
        if (error instanceof Refusal) countFailure();
        throw error;
      }
    });
  }
}
