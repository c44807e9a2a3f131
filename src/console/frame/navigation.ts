import { hasMinimumRole } from '../../auth/access/access.rules.js';
import type { Authority } from '../../common/actor.js';
import type { MinimumRole } from '../../common/http/access-marks.js';

/** A page's place in the navigation on the left. */
export type Area =
  | 'overview'
  | 'tenant'
  | 'apps'
  | 'users'
  | 'requests'
  | 'invites'
  | 'audit'
  | 'tasks'
  | 'push'
  | 'tenants'
  | 'limits'
  | 'keys'
  | 'help';

/** A page above the present one. */
export interface Crumb {
  readonly label: string;
  readonly href: string;
}

interface Entry {
  readonly area: Area;
  readonly label: string;
  readonly href: string;
  /** Lowest role that sees it. */
  readonly minimumRole: MinimumRole;
}

/** In the order of the navigation. An entry is added when its page exists. */
const ENTRIES: readonly Entry[] = [
  { area: 'overview', label: 'Overview', href: '/console/', minimumRole: 'app_manager' },
  { area: 'tenant', label: 'Tenant', href: '/console/tenant', minimumRole: 'tenant_admin' },
  { area: 'apps', label: 'Apps', href: '/console/apps', minimumRole: 'app_manager' },
  { area: 'users', label: 'Users', href: '/console/users', minimumRole: 'app_admin' },
  { area: 'requests', label: 'Requests', href: '/console/requests', minimumRole: 'app_admin' },
  { area: 'invites', label: 'Invites', href: '/console/invites', minimumRole: 'app_manager' },
  { area: 'audit', label: 'Audit', href: '/console/audit', minimumRole: 'app_admin' },
  { area: 'push', label: 'Push', href: '/console/push', minimumRole: 'app_admin' },
  { area: 'tasks', label: 'Tasks', href: '/console/tasks', minimumRole: 'app_admin' },
  { area: 'tenants', label: 'Tenants', href: '/console/tenants', minimumRole: 'platform_admin' },
  { area: 'limits', label: 'Limits and queues', href: '/console/queues', minimumRole: 'platform_admin' },
  { area: 'keys', label: 'Keys', href: '/console/keys', minimumRole: 'platform_admin' },
  { area: 'help', label: 'Help', href: '/console/help', minimumRole: 'app_manager' },
];

/** The list of an area: where to go on when another tenant is chosen. */
export function listUrlOf(area: Area | null): string {
  return ENTRIES.find((entry) => entry.area === area)?.href ?? '/console/';
}

export interface NavigationItem {
  readonly label: string;
  readonly href: string;
  readonly isCurrent: boolean;
  /** What waits there, as it is shown: `7` or `99+`; null: nothing. */
  readonly waits: string | null;
}

export function navigationFor(
  authority: Authority,
  current: Area | null,
  counts: Partial<Record<Area, string>> = {},
): NavigationItem[] {
  return ENTRIES.filter(({ minimumRole }) => hasMinimumRole(authority, minimumRole)).map(({ area, label, href }) => ({
    label,
    href,
    isCurrent: area === current,
    waits: counts[area] ?? null,
  }));
}
