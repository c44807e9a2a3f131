import { type Authority, NO_AUTHORITY } from '../../common/actor.js';
import type { MinimumRole } from '../../common/http/access-marks.js';
import { isUuid } from '../../common/validation/fields.js';

/**
 * The audience rule (ASVS 10.3.1): a token made for an ordinary app carries at most its bearer's authority in that
 * app, or any app that an administrator signs in to could replay it against the admin API.
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

/** By the same rule: the app whose server holds a token that was made for it; null for a Console app. */
export function holderOfTokens(app: { readonly id: string; readonly isConsoleApp: boolean }): string | null {
  return app.isConsoleApp ? null : app.id;
}

/** Without what administrators of the platform and of tenants hold; what they hold in single apps stays. */
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
 * Fields that no service token may send, at whatever depth (docs/conventions.md, section 2).
 * @param ownTenantId where given, another tenant's id is such a field too
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
