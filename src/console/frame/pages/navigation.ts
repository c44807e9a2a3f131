import { hasMinimumRole } from '../../../auth/access/access.rules.js';
import type { Authority } from '../../../common/actor.js';
import type { MinimumRole } from '../../../common/http/access-marks.js';

/** An entry in the navigation on the left. */
export type Area =
  | 'overview'
  | 'tenant'
  | 'apps'
  | 'users'
  | 'requests'
  | 'invites'
  | 'audit'
  | 'mails'
  | 'tasks'
  | 'push'
  | 'tenants'
  | 'limits'
  | 'keys'
  | 'help'
  | 'api';

/** A breadcrumb: a page above the current one. */
export interface Crumb {
  readonly label: string;
  readonly href: string;
}

interface Entry {
  readonly area: Area;
  readonly label: string;
  readonly href: string;
  /** A name in scripts/icons.mjs. */
  readonly icon: string;
  /** Lowest role that sees the entry. */
  readonly minimumRole: MinimumRole;
}

interface Group {
  /** Null: above all headings. */
  readonly heading: string | null;
  readonly entries: readonly Entry[];
}

const entry = (area: Area, label: string, href: string, icon: string, minimumRole: MinimumRole): Entry => ({
  area,
  label,
  href,
  icon,
  minimumRole,
});

/** In the order of the navigation. Entries are added together with their page. */
const GROUPS: readonly Group[] = [
  { heading: null, entries: [entry('overview', 'Overview', '/console/', 'house', 'app_manager')] },
  {
    heading: 'Manage',
    entries: [
      entry('tenant', 'Tenant settings', '/console/tenant', 'building', 'tenant_admin'),
      entry('apps', 'Apps', '/console/apps', 'layout-grid', 'app_manager'),
      entry('users', 'Users', '/console/users', 'users', 'app_admin'),
      entry('requests', 'Requests', '/console/requests', 'user-check', 'app_admin'),
      entry('invites', 'Invites', '/console/invites', 'mail', 'app_manager'),
      entry('push', 'Push', '/console/push', 'bell', 'app_admin'),
    ],
  },
  {
    heading: 'Activity',
    entries: [
      entry('audit', 'Audit log', '/console/audit', 'scroll-text', 'app_admin'),
      entry('mails', 'E-mails', '/console/mails', 'send', 'app_admin'),
      entry('tasks', 'Tasks', '/console/tasks', 'list-checks', 'app_admin'),
    ],
  },
  {
    heading: 'Platform',
    entries: [
      entry('tenants', 'Tenants', '/console/tenants', 'building-2', 'platform_admin'),
      entry('limits', 'Limits and queues', '/console/queues', 'gauge', 'platform_admin'),
      entry('keys', 'Keys', '/console/keys', 'key-round', 'platform_admin'),
    ],
  },
  {
    heading: 'Help',
    entries: [
      entry('help', 'Help', '/console/help', 'book-open', 'app_manager'),
      entry('api', 'API reference', '/docs', 'code', 'app_manager'),
    ],
  },
];

/** The list of an area: the page to show after another tenant is chosen. */
export function listUrlOf(area: Area | null): string {
  const entries = GROUPS.flatMap((group) => group.entries);
  return entries.find((each) => each.area === area)?.href ?? '/console/';
}

export interface NavigationItem {
  readonly label: string;
  readonly href: string;
  readonly icon: string;
  readonly isCurrent: boolean;
  /** Number of pending items as text: `7` or `99+`; null: none. */
  readonly count: string | null;
}

export interface NavigationGroup {
  readonly heading: string | null;
  readonly items: readonly NavigationItem[];
}

const LABELS = new Set(['My apps', ...GROUPS.flatMap(({ entries }) => entries.map(({ label }) => label))]);

/** Whether the label is that of a list in the navigation, not of an object. */
export function isNavigationLabel(label: string): boolean {
  return LABELS.has(label);
}

/** @param counts number of pending items by area, as text */
export function navigationFor(
  authority: Authority,
  current: Area | null,
  counts: Partial<Record<Area, string>> = {},
): NavigationGroup[] {
  const itemOf = ({ area, label, href, icon }: Entry): NavigationItem => ({
    label,
    href,
    icon,
    isCurrent: area === current,
    count: counts[area] ?? null,
  });
  return GROUPS.map(({ heading, entries }) => ({
    heading,
    items: entries.filter(({ minimumRole }) => hasMinimumRole(authority, minimumRole)).map(itemOf),
  })).filter(({ items }) => items.length > 0);
}
