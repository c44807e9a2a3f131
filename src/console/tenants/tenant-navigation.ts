import type { TenantInFull } from '../../admin/tenants/tenant.view.js';
import type { ConsoleRequest } from '../frame/requests/console-request.js';
import type { Area, Crumb } from '../frame/pages/navigation.js';

export type TenantTab = 'Settings' | 'Admins' | 'Apps' | 'Data' | 'Danger';

/** Navigation of one tenant's pages: platform admins find it in their list, its admins as their own. */
export interface TenantNavigation {
  readonly area: Area;
  readonly tenantId: string;
  readonly crumbs: readonly Crumb[];
  readonly tabs: readonly { readonly label: string; readonly href: string; readonly isCurrent: boolean }[];
}

export function tenantHome({ actor, tenantId }: ConsoleRequest, id: string): string {
  if (actor.authority.platform) return `/console/tenants/${id}`;
  return tenantId === id ? '/console/tenant' : `/console/select-tenant/${id}`;
}

/** @param current the tab; null: a page below the tabs */
export function tenantNavigation(
  consoleRequest: ConsoleRequest,
  { tenant }: TenantInFull,
  current: TenantTab | null,
): TenantNavigation {
  const { platform } = consoleRequest.actor.authority;
  const home = tenantHome(consoleRequest, tenant.id);
  const below = `/console/tenants/${tenant.id}`;
  const tabs: [TenantTab, string][] = [
    ['Settings', home],
    ['Admins', `${below}/admins`],
    ['Apps', `${below}/apps`],
    ['Data', `${below}/data`],
  ];
  if (platform && !tenant.isPlatform) tabs.push(['Danger', `${below}/danger`]);
  return {
    area: platform ? 'tenants' : 'tenant',
    tenantId: tenant.id,
    crumbs: [
      ...(platform ? [{ label: 'Tenants', href: '/console/tenants' }] : []),
      ...(current === 'Settings' ? [] : [{ label: tenant.name, href: home }]),
    ],
    tabs: tabs.map(([label, href]) => ({ label, href, isCurrent: label === current })),
  };
}

/** The header of each of a tenant's pages. */
export function tenantHead({ tenant }: TenantInFull, consoleRequest: ConsoleRequest) {
  const { id, name, slug, isActive } = tenant;
  const mayActAs = consoleRequest.own.platform && !consoleRequest.impersonation && isActive;
  return { id, name, slug, isActive, actUrl: mayActAs ? `/console/impersonate/${id}` : null };
}
