import { Injectable } from '@nestjs/common';
import { type Actor, canAdministerApp, canAdministerPlatform, canAdministerTenant } from '../../common/actor.js';
import type { RequestContext } from '../../common/request-context.js';
import { keyOf, tenantPart } from '../../rate-limits/counters/counter-keys.rules.js';
import { RateLimitsService } from '../../rate-limits/rate-limits.service.js';
import { AppDirectory } from '../directory/app-directory.js';

/** A caller, and the app or the tenant that they change. */
export type RequestedChange =
  | { readonly ctx: RequestContext; readonly appId: string }
  | { readonly ctx: RequestContext; readonly tenantId: string };

/**
 * Limits changes of an app, test events and the like, because each writes an audit entry, which cannot be deleted.
 * Changes by app admins and servers count for the app, and those by admins of the tenant separately, so that an attacker
 * with less authority cannot keep them from switching an app off. Platform admins have no limit except for that of
 * their requests.
 */
@Injectable()
export class ChangeLimits {
  constructor(
    private readonly limits: RateLimitsService,
    private readonly directory: AppDirectory,
  ) {}

  /**
   * Called before the transaction: a row must not stay locked while the store of the limits is slow. Counts only for
   * callers with authority over the app or tenant. The change refuses others.
   * @throws RateLimited
   */
  async count(change: RequestedChange): Promise<void> {
    const { actor } = change.ctx;
    if (canAdministerPlatform(actor)) return;
    const key = 'appId' in change ? await this.keyOfApp(actor, change.appId) : keyOfTenant(actor, change.tenantId);
    if (key !== null) await this.limits.consume('app_changes', key);
  }

  private async keyOfApp(actor: Actor, appId: string): Promise<string | null> {
    const app = (await this.directory.findOfAnyOrigin(appId))?.app;
    if (!app) return null;
    const isOfTenant = canAdministerTenant(actor, app.tenantId);
    const counts = actor.type === 'service' ? actor.tenantId === app.tenantId : canAdministerApp(actor, app);
    return counts ? keyOf(tenantPart(app.tenantId, isOfTenant), app.id) : null;
  }
}

function keyOfTenant(actor: Actor, tenantId: string): string | null {
  return canAdministerTenant(actor, tenantId) ? keyOf(tenantPart(tenantId, true), tenantId) : null;
}
