import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { App } from '../../../apps/app/app.entity.js';
import type { RequestContext } from '../../../common/request-context.js';
import { Transactions } from '../../../database/transactions.js';
import { EnrollmentService } from '../../../enrollment/memberships/enrollment.service.js';
import { EntryCache } from '../../../enrollment/memberships/entry-cache.js';
import { ConsentNotFound } from '../../protocol/tokens.errors.js';
import { Consents } from '../consent/consents.service.js';
import { RefreshRevocation } from './refresh-revocation.js';

/** Revokes a consent, by the user or by an administrator, and ends everything based on it. */
@Injectable()
export class ConsentRevocation {
  constructor(
    private readonly consents: Consents,
    private readonly revocation: RefreshRevocation,
    private readonly enrollment: EnrollmentService,
    private readonly entries: EntryCache,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Ends refresh tokens, codes, devices and access tokens of the user at the app. The user stays a member and is asked
   * again.
   * @throws ConsentNotFound
   */
  async revoke(ctx: RequestContext, userId: string, app: App): Promise<void> {
    await this.transactions.run(async (tx) => {
      // First, and in this order: a running exchange holds both locks, and its result must be found below.
      await this.enrollment.lock(tx, userId, app.id);
      if (!(await this.consents.remove(tx, ctx, userId, app))) throw new ConsentNotFound();
      // Also ends codes and devices that have not fetched their tokens.
      await this.revocation.revokeAll(tx, userId, app.id, 'consent_revoked');
      await this.enrollment.endTokens(tx, userId, app.id);
    });
    // The next request of this process must not use the cached entry.
    this.entries.forget(userId);
  }

  /**
   * For all users of clients that their tenant no longer accepts. They are asked again if it accepts the clients later.
   * @returns number of users who had given consent
   */
  async revokeAll(tx: EntityManager, appIds: readonly string[]): Promise<number> {
    if (appIds.length === 0) return 0;
    await this.enrollment.endAllTokens(tx, appIds);
    return this.consents.removeAll(tx, appIds);
  }
}
