import { Injectable } from '@nestjs/common';
import { AppDirectory } from '../../apps/directory/app-directory.js';
import type { RequestContext } from '../../common/request-context.js';
import { clientAddressKey } from '../../rate-limits/client-address.js';
import { keyOf } from '../../rate-limits/counters/counter-keys.rules.js';
import { RateLimitsService } from '../../rate-limits/rate-limits.service.js';

/** Counted by client and network address. */
type ClientLimitLabel = 'token_exchange' | 'refresh_failures';

/** The keys under which requests of a client are counted before it has authenticated. */
@Injectable()
export class ClientCounters {
  constructor(
    private readonly directory: AppDirectory,
    private readonly limits: RateLimitsService,
  ) {}

  /** @throws RateLimited */
  async consume(ctx: RequestContext, label: ClientLimitLabel, clientId: string): Promise<void> {
    await this.limits.consume(label, await this.keyOf(ctx, clientId));
  }

  /**
   * The id is public: if only the id counted, an attacker could use up the attempts of the app's own server. An id of
   * no app counts by network address only; otherwise every new id would have a new counter.
   */
  async keyOf(ctx: RequestContext, clientId: string): Promise<string> {
    const source = clientAddressKey(ctx.ip);
    const client = await this.directory.findByClientId(clientId);
    return client ? keyOf(client.app.id, source) : source;
  }
}
