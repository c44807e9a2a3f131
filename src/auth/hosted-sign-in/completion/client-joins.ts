import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { App } from '../../../apps/app/app.entity.js';
import type { RequestContext } from '../../../common/request-context.js';
import { ClientMemberships } from '../../../enrollment/memberships/client-memberships.service.js';
import { EntryCache } from '../../../enrollment/memberships/entry-cache.js';
import { RefreshRevocation } from '../../../tokens/grants/revocation/refresh-revocation.js';

/** Enrolls a user in a self-registered client, and ends the membership in the one that makes room for it. */
@Injectable()
export class ClientJoins {
  constructor(
    private readonly memberships: ClientMemberships,
    private readonly revocation: RefreshRevocation,
    private readonly entries: EntryCache,
  ) {}

  /** See `ClientMemberships.findNextToLeave`. */
  findNextToLeave(userId: string, { tenantId }: App): Promise<App | null> {
    return this.memberships.findNextToLeave(userId, tenantId);
  }

  async join(tx: EntityManager, ctx: RequestContext, userId: string, app: App): Promise<void> {
    const left = await this.memberships.join(tx, ctx, userId, app);
    for (const appId of left) await this.revocation.revokeAll(tx, userId, appId, 'removed');
  }

  /** Called after the commit: the next request of this process must not use the cached entry. */
  forget(userId: string): void {
    this.entries.forget(userId);
  }
}
