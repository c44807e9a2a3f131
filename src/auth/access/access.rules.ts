import { type Authority, NO_AUTHORITY } from '../../common/actor.js';
import type { MinimumRole } from '../../common/http/access-marks.js';
import { isUuid } from '../../common/validation/fields.js';

/**
 * The audience rule (ASVS 10.3.1): a token for an ordinary app carries at most its user's authority in that app.
 * Otherwise any app that an administrator signs in to could replay it against the admin API.
 */
export function cutAuthority(
  authority: Authority,
  audience: { readonly appId: string; readonly isConsole: boolean },
): Authority {
  if (audience.isConsole) return authority;
  const only = (apps: ReadonlySet<string>) =>
    apps.has(audience.appId) ? new Set([audience.appId]) : new Set<string>();
  return {
    ...NO_AUTHORITY,
    appsAdministered: only(authority.appsAdministered),
    appsManaged: only(authority.appsManaged),
  };
}

/** The app whose server has the token, by the same rule; null for a Console app. */
export function holderOfTokens(app: { readonly id: string; readonly isConsoleApp: boolean }): string | null {
  return app.isConsoleApp ? null : app.id;
}

/** Removes authority over the platform and tenants, but not over single apps. */
export function withoutAdministration(authority: Authority): Authority {
  return { ...authority, platform: false, tenants: NO_AUTHORITY.tenants };
}

/** Whether the user has at least this role for the platform, a tenant or an app. */
export function hasMinimumRole(authority: Authority, minimumRole: MinimumRole): boolean {
  switch (minimumRole) {
    case 'user':
      return true;
    case 'app_manager':
      return authority.appsManaged.size > 0 || hasMinimumRole(authority, 'app_admin');
    case 'app_admin':
      return authority.appsAdministered.size > 0 || hasMinimumRole(authority, 'tenant_admin');
    case 'tenant_admin':
      return authority.tenants.size > 0 || hasMinimumRole(authority, 'platform_admin');
    case 'platform_admin':
      return authority.platform;
  }
}

const PROTECTED = new Set(['is_platform_admin', 'service_scopes', 'is_console_app']);

/**
 * Whether the body contains fields that no service token may send, at any depth (docs/conventions.md, section 2).
 * @param ownTenantId if given, the id of another tenant counts as such a field too
 */
export function widensAuthority(body: unknown, ownTenantId: string | null = null, depth = 0): boolean {
  if (typeof body !== 'object' || body === null || depth > 32) return false;
  return Object.entries(body).some(
    ([key, value]) =>
      PROTECTED.has(key) ||
      (key === 'bundle_id' && typeof value === 'string' && /^console\./i.test(value.trim())) ||
      (ownTenantId !== null && key === 'tenant_id' && isUuid(value) && value.toLowerCase() !== ownTenantId) ||
      widensAuthority(value, ownTenantId, depth + 1),
  );
}
