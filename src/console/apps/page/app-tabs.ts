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
/** A Console app is what its tenant's admins sign in to: it has no users to notify and no server behind it. */
const OF_CONSOLE_APPS: ReadonlySet<AppTab> = new Set([
  'overview',
  'sign-in',
  'branding',
  'members',
  'invites',
  'mails',
]);

/** A client that has registered itself says itself how it is set up. */
const OF_SELF_REGISTERED: ReadonlySet<AppTab> = new Set(['overview', 'members', 'danger']);

/** Tabs are addresses. */
export function appPath(app: { readonly id: string }, tab: AppTab = 'overview', below = ''): string {
  return `/console/apps/${app.id}${tab === 'overview' ? '' : `/${tab}`}${below}`;
}

export function tabLabel(tab: AppTab): string {
  return LABELS[tab];
}

/** Those that the visitor may open: an app manager only the invites. */
export function tabsFor({ actor }: ConsoleRequest, app: App, current: AppTab) {
  const shown = TABS.filter((tab) => {
    if (!canAdministerApp(actor, app)) return tab === 'invites';
    if (isSelfRegistered(app)) return OF_SELF_REGISTERED.has(tab);
    return !app.isConsoleApp || OF_CONSOLE_APPS.has(tab);
  });
  return shown.map((tab) => ({ label: LABELS[tab], href: appPath(app, tab), isCurrent: tab === current }));
}

/** The list that the visitor comes from. */
export function listCrumb({ actor }: ConsoleRequest): Crumb {
  return hasMinimumRole(actor.authority, 'tenant_admin')
    ? { label: 'Apps', href: '/console/apps' }
    : { label: 'My apps', href: '/console/my-apps' };
}

/** What the head of each page of an app shows. */
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
