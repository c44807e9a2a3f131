import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RequestContext } from '../../common/request-context.js';
import { AppDirectory } from '../../apps/directory/app-directory.js';
import { readEmail } from '../../common/validation/email.rules.js';
import { Transactions } from '../../database/transactions.js';
import type { OutboxOptions } from '../../delivery/outbox/outbox.service.js';
import { clientAddressKey } from '../../rate-limits/client-address.js';
import { RateLimitsService } from '../../rate-limits/rate-limits.service.js';
import { UserLimits } from '../session/known-browsers/user-limits.service.js';

/** The limits of a request in addition to `mail_ip`. */
export interface RequestLimits {
  readonly network?: 'forgot_password_ip';
  readonly user: 'forgot_password' | 'magic_link';
}

/**
 * Public requests for a mailed link, for any address. A known and an unknown address take the same path and the same
 * time: the request only queues a job that looks for the account later. If a limit is exceeded, nothing is queued and
 * the response is the same.
 */
@Injectable()
export class LinkRequests {
  constructor(
    private readonly limits: RateLimitsService,
    private readonly userLimits: UserLimits,
    private readonly transactions: Transactions,
    private readonly directory: AppDirectory,
  ) {}

  /** @param promise adds the job to the outbox, in the group of the app's tenant */
  async accept(
    ctx: RequestContext,
    { email, appId }: { readonly email: string; readonly appId: string },
    { network, user }: RequestLimits,
    promise: (tx: EntityManager, emailCanonical: string, options: OutboxOptions) => Promise<unknown>,
  ): Promise<void> {
    const key = readEmail(email)?.canonical;
    if (key === undefined) return;
    const source = clientAddressKey(ctx.ip);
    // The limits count one after the other: requests of a network that is over its limit must not use up the limits of
    // accounts.
    if (network && !(await this.limits.tryConsume(network, source)).allowed) return;
    if (!(await this.limits.tryConsume('mail_ip', source)).allowed) return;
    if (!(await this.userLimits.tryConsume(ctx, user, key)).allowed) return;
    const group = (await this.directory.findOfAnyOrigin(appId))?.tenant.id ?? null;
    await this.transactions.run((tx) => promise(tx, key, { group }));
  }
}
