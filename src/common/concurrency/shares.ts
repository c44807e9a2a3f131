import { type Actor, authorityOf, canAdministerPlatform, canAdministerTenant } from '../actor.js';
import type { Share, Ways } from './places.js';

/**
 * The shares that a caller's place counts against. Admins of a tenant: the limit of the tenant. An app with its admins
 * and its server: one place of its own, and the limit of all apps of the tenant, which leaves one place to the tenant's
 * admins if there is more than one. Platform admins share as many places as a tenant has.
 * @param appId that the request is about; null: several, or none
 */
export function sharesOf(actor: Actor, tenantId: string, most: number, appId: string | null): readonly Share[] {
  if (canAdministerPlatform(actor)) return [{ of: 'platform', most }];
  const ofTenant = { of: tenantId, most };
  if (canAdministerTenant(actor, tenantId)) return [ofTenant];
  const ofApps = { of: `apps of ${tenantId}`, most: Math.max(1, most - 1) };
  return [{ of: `app ${appOf(actor, appId)}`, most: 1 }, ofApps, ofTenant];
}

/** A tenant, or one of its apps. */
export interface Holder {
  readonly tenantId: string;
  readonly appId: string | null;
}

/**
 * For a request about several tenants or apps of the caller: room in the shares of any of them is enough. An attacker
 * who makes the admin of another app an admin of their own app too, and fills its places, blocks no place of the other
 * app for that user. With all accounts that they create, attackers have only as many places as they have apps.
 */
export function waysOf(actor: Actor, holders: readonly Holder[], most: number): Ways {
  return holders.map(({ tenantId, appId }) => sharesOf(actor, tenantId, most, appId));
}

/**
 * The limit of all tenants together. The remaining places of the process are for platform admins, whatever tenants do.
 */
export function shareOfTenants(actor: Actor, most: number): readonly Share[] {
  return canAdministerPlatform(actor) ? [] : [{ of: 'tenants', most }];
}

/**
 * The app that the request is about, or else the first app of the user. An admin whom an attacker adds to another app
 * takes no place of other apps, and keeps their places at their own apps.
 */
function appOf(actor: Actor, about: string | null): string {
  if (actor.type === 'service') return actor.appId;
  const { appsAdministered, appsManaged } = authorityOf(actor);
  const id = about?.toLowerCase();
  if (id !== undefined && (appsAdministered.has(id) || appsManaged.has(id))) return id;
  return [...appsAdministered].sort()[0] ?? [...appsManaged].sort()[0] ?? actor.type;
}
