import { governsApp, governsTenant } from '../../common/actor.js';
import type { App } from '../../apps/app.entity.js';
import { hasStanding } from '../../auth/access/access.rules.js';
import type { ConsoleVisit } from '../frame/console-visit.js';
import type { Crumb } from '../frame/navigation.js';

export type AppTab =
  'overview' | 'sign-in' | 'branding' | 'members' | 'invites' | 'push' | 'webhooks' | 'api-access' | 'danger';

const LABELS: Readonly<Record<AppTab, string>> = {
  overview: 'Overview',
  'sign-in': 'Sign-in',
  branding: 'Branding',
  members: 'Members',
  invites: 'Invites',
  push: 'Push',
  webhooks: 'Webhooks',
  'api-access': 'API access',
  danger: 'Danger',
};
const TABS = Object.keys(LABELS) as AppTab[];
/** A Console app is what its tenant's admins sign in to: there is nobody to notify and no server behind it. */
const OF_CONSOLE_APPS: ReadonlySet<AppTab> = new Set(['overview', 'sign-in', 'branding', 'members', 'invites']);

/** Tabs are addresses. */
export function appPath(app: { readonly id: string }, tab: AppTab = 'overview', below = ''): string {
  return `/console/apps/${app.id}${tab === 'overview' ? '' : `/${tab}`}${below}`;
}

export function tabLabel(tab: AppTab): string {
  return LABELS[tab];
}

/** Those that the visitor may open: an app manager only the invites. */
export function tabsFor({ actor }: ConsoleVisit, app: App, current: AppTab) {
  const shown = TABS.filter((tab) =>
    governsApp(actor, app) ? !app.isConsoleApp || OF_CONSOLE_APPS.has(tab) : tab === 'invites',
  );
  return shown.map((tab) => ({ label: LABELS[tab], href: appPath(app, tab), isCurrent: tab === current }));
}

/** The list that the visitor comes from. */
export function listCrumb({ actor }: ConsoleVisit): Crumb {
  return hasStanding(actor.authority, 'tenant_admin')
    ? { label: 'Apps', href: '/console/apps' }
    : { label: 'My apps', href: '/console/my-apps' };
}

/** What the head of each page of an app shows. */
export function appHead(app: App, visit: ConsoleVisit) {
  const { id, name, isActive, isConsoleApp } = app;
  const asThemselves = { ...visit.actor, authority: visit.own };
  const mayActAs = governsTenant(asThemselves, app.tenantId) && !visit.impersonation && !isConsoleApp;
  return { id, name, isActive, isConsoleApp, actUrl: mayActAs ? `/console/impersonate-app/${id}` : null };
}
