import { Injectable } from '@nestjs/common';
import { AppDirectory } from '../../apps/directory/app-directory.js';
import type { RequestContext } from '../../common/request-context.js';
import { isUuid } from '../../common/validation/fields.js';
import { clientAddressKey } from '../../rate-limits/client-address.js';
import { keyOf } from '../../rate-limits/counters/counter-keys.rules.js';
import { RateLimitsService } from '../../rate-limits/rate-limits.service.js';

/** What is counted by client and network address. */
type ClientLimitLabel = 'token_exchange' | 'refresh_failures';

/** Under which key the tries of a client are counted before it has proven who it is. */
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
   * The id is public: if only the id were counted, an attacker could use up the tries of the app's own server. An id that
   * names no app is counted by the network address alone, or every new text would bring a new counter and new tries.
   */
  async keyOf(ctx: RequestContext, clientId: string): Promise<string> {
    const source = clientAddressKey(ctx.ip);
    const client = isUuid(clientId) ? await this.directory.findOfAnyOrigin(clientId.toLowerCase()) : null;
    return client ? keyOf(client.app.id, source) : source;
  }
}
