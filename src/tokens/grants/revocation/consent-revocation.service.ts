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

/** A consent is taken back, by the user or by an administrator: everything that came of it ends. */
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
   * Refresh tokens, codes, devices and access tokens of the user at the app. They stay a member, and are asked again.
   * @throws ConsentNotFound
   */
  async revoke(ctx: RequestContext, userId: string, app: App): Promise<void> {
    await this.transactions.run(async (tx) => {
      // First, and in this order: an exchange under way holds both, and what comes of that must be found below.
      await this.enrollment.lock(tx, userId, app.id);
      if (!(await this.consents.remove(tx, ctx, userId, app))) throw new ConsentNotFound();
      // Also ends the codes and devices that no client has fetched.
      await this.revocation.revokeAll(tx, userId, app.id, 'consent_revoked');
      await this.enrollment.endTokens(tx, userId, app.id);
    });
    // The next request of this process must not meet what was remembered.
    this.entries.forget(userId);
  }

  /**
   * The same for all users of clients that their tenant takes no longer: they are asked again, should it take them again.
   * @returns how many users had allowed one
   */
  async revokeAll(tx: EntityManager, appIds: readonly string[]): Promise<number> {
    if (appIds.length === 0) return 0;
    await this.enrollment.endAllTokens(tx, appIds);
    return this.consents.removeAll(tx, appIds);
  }
}
