import { type Actor, authorityOf, canAdministerPlatform, canAdministerTenant } from '../actor.js';
import type { AlternativeLimits, KeyLimit } from './semaphore.js';

/**
 * The limits that a caller's permit counts against. Admins of a tenant: the limit of the tenant. An app with its admins
 * and its server: one permit of its own, and the limit of all apps of the tenant, which leaves one permit to the
 * tenant's admins if there is more than one. Platform admins share as many permits as a tenant has.
 * @param appId that the request is about; null: several, or none
 */
export function limitsOf(actor: Actor, tenantId: string, max: number, appId: string | null): readonly KeyLimit[] {
  if (canAdministerPlatform(actor)) return [{ key: 'platform', max }];
  const ofTenant = { key: tenantId, max };
  if (canAdministerTenant(actor, tenantId)) return [ofTenant];
  return [{ key: `app ${appOf(actor, appId)}`, max: 1 }, ...limitOfApps(actor, tenantId, max), ofTenant];
}

/** The limit of all apps of a tenant together, with their admins and servers. Admins of the tenant have none. */
export function limitOfApps(actor: Actor, tenantId: string, max: number): readonly KeyLimit[] {
  if (canAdministerTenant(actor, tenantId)) return [];
  return [{ key: `apps of ${tenantId}`, max: Math.max(1, max - 1) }];
}

/** A tenant, or one of its apps. */
export interface TenantOrApp {
  readonly tenantId: string;
  readonly appId: string | null;
}

/**
 * For a request about several tenants or apps of the caller: room in the limits of any of them is enough. An attacker
 * who makes the admin of another app an admin of their own app too, and uses up its permits, blocks no permit of the
 * other app for that user. With all accounts that they create, attackers have only as many permits as they have apps.
 */
export function alternativeLimitsOf(actor: Actor, holders: readonly TenantOrApp[], max: number): AlternativeLimits {
  return holders.map(({ tenantId, appId }) => limitsOf(actor, tenantId, max, appId));
}

/**
 * The limit of all tenants together. The remaining permits of the process are for platform admins, whatever tenants do.
 */
export function limitOfTenants(actor: Actor, max: number): readonly KeyLimit[] {
  return canAdministerPlatform(actor) ? [] : [{ key: 'tenants', max }];
}

/**
 * The app that the request is about, or else the first app of the user. An admin whom an attacker adds to another app
 * takes no permit of other apps, and keeps their permits at their own apps.
 */
function appOf(actor: Actor, about: string | null): string {
  if (actor.type === 'service') return actor.appId;
  const { appsAdministered, appsManaged } = authorityOf(actor);
  const id = about?.toLowerCase();
  if (id !== undefined && (appsAdministered.has(id) || appsManaged.has(id))) return id;
  return [...appsAdministered].sort()[0] ?? [...appsManaged].sort()[0] ?? actor.type;
}
