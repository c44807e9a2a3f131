import type { RequestContext } from '../../common/request-context.js';

interface GoverningApp {
  readonly isConsoleApp: boolean;
  readonly config: { readonly auto_assign_roles: readonly string[] };
}

/**
 * Whether new roles make a user an administrator. Enrollment in a Console app is authority regardless of the roles. An
 * app that gives `admin` to every user who joins gives no authority with it.
 * @param before null: the user was not active in the app
 */
export function givesAuthority(app: GoverningApp, before: readonly string[] | null, after: readonly string[]): boolean {
  if (app.isConsoleApp) return before === null;
  if (app.config.auto_assign_roles.includes('admin')) return false;
  return after.includes('admin') && !(before?.includes('admin') ?? false);
}

/** The administrator or the tool that gives the authority, for the mails about it. */
export function giverOf({ actor }: RequestContext): string {
  return actor.type === 'user' ? actor.email : 'An operator at the command line';
}
