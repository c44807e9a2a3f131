import { isAdministrative } from '../../apps/settings/administrative-roles.rules.js';
import type { Authority } from '../../common/actor.js';

/** An active enrollment with authority: in a Console app, or with a role that has authority. */
export interface HeldEnrollment {
  readonly app_id: string;
  readonly tenant_id: string;
  readonly is_console: boolean;
  readonly roles: readonly string[];
}

/** Whether an active enrollment gives authority, if the tenant is switched on. In SQL: `authority.sql.ts`. */
export function isHeld({ is_console, roles }: Pick<HeldEnrollment, 'is_console' | 'roles'>): boolean {
  return is_console || roles.some(isAdministrative);
}

/** What a user may administer. @param held in tenants that are switched on */
export function authorityFrom(
  user: { readonly isPlatformAdmin: boolean; readonly isActive: boolean },
  held: readonly HeldEnrollment[],
): Authority {
  const apps = held.filter((each) => !each.is_console);
  return {
    platform: user.isPlatformAdmin && user.isActive,
    tenants: new Set(held.filter((each) => each.is_console).map((each) => each.tenant_id)),
    appsAdministered: new Set(apps.filter((each) => each.roles.includes('admin')).map((each) => each.app_id)),
    appsManaged: new Set(apps.filter((each) => each.roles.includes('manager')).map((each) => each.app_id)),
  };
}
