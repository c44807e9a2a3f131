import type { App } from '../app/app.entity.js';

const ADMINISTRATIVE: ReadonlySet<string> = new Set(['admin', 'manager']);

/** Whether the service itself gives members with this role authority over the app. */
export function isAdministrative(role: string): boolean {
  return ADMINISTRATIVE.has(role);
}

/** Whether the new roles contain one with authority over the app that the old ones do not. */
export function addsAuthority(before: readonly string[], after: readonly string[]): boolean {
  return after.some((role) => isAdministrative(role) && !before.includes(role));
}

type Joining = Pick<App, 'registrationPolicy'> & { readonly config: Pick<App['config'], 'auto_assign_roles'> };

/** Whether all users can join on their own who could not before, and get authority with that. */
export function opensWithAuthority(before: Joining, after: Joining): boolean {
  const opens = before.registrationPolicy !== 'open' && after.registrationPolicy === 'open';
  return opens && addsAuthority([], after.config.auto_assign_roles);
}
