import { canAdministerApp, canAdministerTenant } from '../../../common/actor.js';
import { isSelfRegistered } from '../../../apps/app/app-origin.rules.js';
import type { App } from '../../../apps/app/app.entity.js';
import { hasMinimumRole } from '../../../auth/access/access.rules.js';
import type { ConsoleRequest } from '../../frame/requests/console-request.js';
import type { Crumb } from '../../frame/pages/navigation.js';

export type AppTab =
  'overview' | 'sign-in' | 'branding' | 'members' | 'invites' | 'mails' | 'push' | 'webhooks' | 'api-access' | 'danger';

const LABELS: Readonly<Record<AppTab, string>> = {
  overview: 'Overview',
  'sign-in': 'Sign-in',
  branding: 'Branding',
  members: 'Members',
  invites: 'Invites',
  mails: 'E-mails',
  push: 'Push',
  webhooks: 'Webhooks',
  'api-access': 'API access',
  danger: 'Danger',
};
const TABS = Object.keys(LABELS) as AppTab[];
/** A Console app is where the tenant's admins sign in: it has no users to notify and no server. */
const OF_CONSOLE_APPS: ReadonlySet<AppTab> = new Set([
  'overview',
  'sign-in',
  'branding',
  'members',
  'invites',
  'mails',
]);

/** The settings of a self-registered client come from the client itself. */
const OF_SELF_REGISTERED: ReadonlySet<AppTab> = new Set(['overview', 'members', 'danger']);

/** Each tab has its own URL. */
export function appPath(app: { readonly id: string }, tab: AppTab = 'overview', below = ''): string {
  return `/console/apps/${app.id}${tab === 'overview' ? '' : `/${tab}`}${below}`;
}

export function tabLabel(tab: AppTab): string {
  return LABELS[tab];
}

/** The tabs that the operator can open: for an app manager only the invites. */
export function tabsFor({ actor }: ConsoleRequest, app: App, current: AppTab) {
  const shown = TABS.filter((tab) => {
    if (!canAdministerApp(actor, app)) return tab === 'invites';
    if (isSelfRegistered(app)) return OF_SELF_REGISTERED.has(tab);
    return !app.isConsoleApp || OF_CONSOLE_APPS.has(tab);
  });
  return shown.map((tab) => ({ label: LABELS[tab], href: appPath(app, tab), isCurrent: tab === current }));
}

/** The list of apps: all of their tenants for tenant admins, their own ones for other operators. */
export function listCrumb({ actor }: ConsoleRequest): Crumb {
  return hasMinimumRole(actor.authority, 'tenant_admin')
    ? { label: 'Apps', href: '/console/apps' }
    : { label: 'My apps', href: '/console/my-apps' };
}

/** The header of each page of an app. */
export function appHead(app: App, consoleRequest: ConsoleRequest) {
  const { id, name, isActive, archivedAt, isConsoleApp } = app;
  const asThemselves = { ...consoleRequest.actor, authority: consoleRequest.own };
  const mayActAs =
    canAdministerTenant(asThemselves, app.tenantId) &&
    !consoleRequest.impersonation &&
    !isConsoleApp &&
    !isSelfRegistered(app) &&
    !archivedAt;
  return {
    ...{ id, name, isActive, isArchived: archivedAt !== null, isConsoleApp, isSelfRegistered: isSelfRegistered(app) },
    auditUrl: canAdministerApp(consoleRequest.actor, app) ? `/console/audit?app_id=${id}` : null,
    actUrl: mayActAs ? `/console/impersonate-app/${id}` : null,
  };
}
