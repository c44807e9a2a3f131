import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { App } from '../../apps/app/app.entity.js';
import { AppDirectory } from '../../apps/directory/app-directory.js';
import {
  type Actor,
  authorityOf,
  canAdministerApp,
  canAdministerPlatform,
  canAdministerTenant,
} from '../../common/actor.js';
import type { RequestContext } from '../../common/request-context.js';
import { Transactions } from '../../database/transactions.js';
import { callerKey, invitersPart, keyOf, tenantPart, userKey } from '../../rate-limits/counters/counter-keys.rules.js';
import { RateLimitsService } from '../../rate-limits/rate-limits.service.js';

/** A caller, and the app whose members or invites they change. */
export interface MembershipRequest {
  readonly ctx: RequestContext;
  readonly appId: string;
}

/**
 * Runs changes of members and invites by administrators and servers. Their number is limited, because each writes an
 * audit entry, which cannot be deleted.
 */
@Injectable()
export class MembershipChanges {
  constructor(
    private readonly transactions: Transactions,
    private readonly limits: RateLimitsService,
    private readonly directory: AppDirectory,
  ) {}

  /**
   * Counts before the transaction: a row must not stay locked while the store of the limits is slow.
   * @param requested null: not counted, such as a task of an operator, or a change that changes nothing
   * @throws RateLimited
   */
  async run<T>(requested: MembershipRequest | null, work: (tx: EntityManager) => Promise<T>): Promise<T> {
    if (requested) await this.count(requested);
    return this.transactions.run(work);
  }

  private async count({ ctx: { actor }, appId }: MembershipRequest): Promise<void> {
    if (canAdministerPlatform(actor)) return;
    const app = (await this.directory.findOfAnyOrigin(appId))?.app;
    const key = app && keyAt(actor, app);
    if (key) await this.limits.consume('membership_changes', key);
  }
}

/**
 * Admins of an app count together, and admins of its tenant separately. App managers and servers, who can only invite,
 * count for themselves, so that they cannot keep the admins from removing them. Null: the change refuses this caller.
 */
function keyAt(actor: Actor, app: App): string | null {
  if (canAdministerTenant(actor, app.tenantId)) return keyOf(tenantPart(app.tenantId, true), app.id);
  if (canAdministerApp(actor, app)) return keyOf(app.tenantId, app.id);
  if (actor.type === 'service')
    return actor.appId === app.id ? keyOf(invitersPart(app.tenantId), callerKey(actor)) : null;
  const manages = actor.type === 'user' && authorityOf(actor).appsManaged.has(app.id);
  return manages ? keyOf(invitersPart(app.tenantId), userKey(actor.userId, null)) : null;
}
