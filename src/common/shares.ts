import { type Actor, authorityOf, canAdministerPlatform, canAdministerTenant } from './actor.js';
import type { Share } from './places.js';

/**
 * Whose places a caller takes: admins of a tenant those of the tenant; each of its apps, with its admins and its server, one of them. All its apps together leave one to
 * the tenant's admins, if there is more than one. Platform admins share as many.
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
