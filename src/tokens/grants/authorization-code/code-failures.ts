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
   * Runs work that uses a code for the client in the request, and counts a refusal. A right code is never refused because
   * of other attempts, which may come from strangers: they can send codes to the callback of an app, whose users share
   * the address of its server, and users share the addresses of networks. Beyond the limit, the answer to a wrong code is
   * 429; for an unknown one, after one look-up. A client that authenticates is not counted.
   * @param isKnown whether the code was issued, also if it is used: beyond the limit, the work runs only then, so that a
   * replay is still noticed
   * @param work gets null for an unknown client
   * @throws RateLimited instead of a refusal beyond the limit, InvalidClient, and the errors of the work
   */
  async watch<T>(
    ctx: RequestContext,
    credentials: ClientCredentials,
    isKnown: () => Promise<boolean>,
    work: (client: RegisteredClient | null) => Promise<T>,
  ): Promise<T> {
    const proven = credentials.proof === null ? null : await this.authenticator.prove(ctx, credentials);
    if (proven) return work(proven);
    return this.counted(ctx, credentials, isKnown, async () => {
      if (credentials.proof !== null) throw new InvalidClient();
      return work(await this.authenticator.identify(ctx, credentials));
    });
  }

  private async counted<T>(
    ctx: RequestContext,
    credentials: ClientCredentials,
    isKnown: () => Promise<boolean>,
    work: () => Promise<T>,
  ): Promise<T> {
    const caller = await this.counters.keyOf(ctx, credentials.clientId);
    const { allowed, retryAfter } = await this.limits.peek('code_failures', caller);
    if (!allowed && !(await isKnown())) throw this.limits.refusal('code_failures', retryAfter);
    try {
      return await work();
    } catch (error) {
      // Internal errors are not guesses: an outage must not use up the limit of a client.
      if (error instanceof Refusal) await this.limits.consume('code_failures', caller);
      throw error;
    }
  }
}
