import { Injectable } from '@nestjs/common';
import { AppDirectory, type RegisteredClient } from '../../../apps/directory/app-directory.js';
import { OwnMemberships } from '../../../enrollment/memberships/own-memberships.service.js';
import { EnrollmentNotFound } from '../../../enrollment/enrollments/enrollment.errors.js';
import { EntryCache } from '../../../enrollment/memberships/entry-cache.js';
import { RefreshRevocation } from '../../../tokens/grants/revocation/refresh-revocation.js';
import { ProofTransactions } from '../../../users/proof-transactions.js';
import type { AccountHolder } from '../../access/account-holder.service.js';

/** Leaving an app. */
@Injectable()
export class OwnApps {
  constructor(
    private readonly directory: AppDirectory,
    private readonly memberships: OwnMemberships,
    private readonly revocation: RefreshRevocation,
    private readonly entries: EntryCache,
    private readonly proofs: ProofTransactions,
  ) {}

  /**
   * An app that the user can leave. Membership in a Console app is authority over a tenant, which only other
   * administrators remove (docs/conventions.md, section 2).
   * @throws EnrollmentNotFound, as for an app of which they are not a member
   */
  async getLeavable(appId: string): Promise<RegisteredClient> {
    const client = await this.directory.findOfAnyOrigin(appId);
    if (!client || client.app.isConsoleApp) throw new EnrollmentNotFound();
    return client;
  }

  /**
   * Ends the membership and the app's tokens; the app is notified.
   * @throws EnrollmentNotFound, ForbiddenTransition, LastAppAdmin, ProofOutdated
   */
  async leave({ ctx, user, proof }: AccountHolder, { app }: RegisteredClient): Promise<void> {
    await this.proofs.run(proof, async (tx) => {
      await this.memberships.leave(tx, ctx, user.id, app);
      await this.revocation.revokeAll(tx, user.id, app.id, 'removed');
    });
    // The next request of this process must not use a cached enrollment.
    this.entries.forget(user.id);
  }
}
