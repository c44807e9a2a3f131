import { type Actor, authorityOf, canAdministerPlatform, canAdministerTenant } from './actor.js';
import type { Share } from './places.js';

/**
 * Whose limits a caller's place counts against: for admins of a tenant, the tenant's; for an app, with its admins and its
 * server, one place of its own, and the limit of all apps of the tenant, which leave one place to the tenant's admins if there
 * is more than one. Platform admins together have as many places as a tenant.
 */
export function sharesOf(actor: Actor, tenantId: string, most: number): readonly Share[] {
  if (canAdministerPlatform(actor)) return [{ of: 'platform', most }];
  const ofTenant = { of: tenantId, most };
  if (canAdministerTenant(actor, tenantId)) return [ofTenant];
  const ofApps = { of: `apps of ${tenantId}`, most: Math.max(1, most - 1) };
  return [{ of: `app ${appOf(actor)}`, most: 1 }, ofApps, ofTenant];
}

/** The first, where a user has several: whom an admin makes an admin of their app takes no place of another. */
function appOf(actor: Actor): string {
  if (actor.type === 'service') return actor.appId;
  const { appsAdministered, appsManaged } = authorityOf(actor);
  return [...appsAdministered].sort()[0] ?? [...appsManaged].sort()[0] ?? actor.type;
}
