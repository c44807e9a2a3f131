import { addsAuthority } from '../../apps/settings/administrative-roles.rules.js';
import { InsufficientPermissions } from '../../common/http/http.refusals.js';
import { requireRecentSignIn } from '../../common/http/recent-sign-in.js';
import type { RequestContext } from '../../common/request-context.js';

interface GoverningApp {
  readonly isConsoleApp: boolean;
}

/**
 * Whether new roles make a user an administrator, so that the other administrators get a mail. Enrollment in a Console
 * app is authority regardless of the roles. For users who join on their own, see {@link areAutomatic}.
 * @param before null: the user was not active in the app
 */
export function givesAuthority(app: GoverningApp, before: readonly string[] | null, after: readonly string[]): boolean {
  if (app.isConsoleApp) return before === null;
  return after.includes('admin') && !(before?.includes('admin') ?? false);
}

/**
 * Whether the user who gives the roles must have signed in recently (docs/decisions/0103). Also true for roles that are
 * given before the user is active in the app.
 * @param before null: the user is not enrolled
 */
export function needsConfirmation(
  app: GoverningApp,
  before: readonly string[] | null,
  after: readonly string[],
): boolean {
  return app.isConsoleApp ? before === null : addsAuthority(before ?? [], after);
}

/**
 * Before roles are given for which {@link needsConfirmation} is true. The server of an app never gives them, not even as
 * automatic roles of the app.
 * @throws InsufficientPermissions, ReauthenticationRequired
 */
export function requireConfirmation(ctx: RequestContext): void {
  if (ctx.actor.type === 'service') throw new InsufficientPermissions();
  requireRecentSignIn(ctx);
}

/**
 * An approval gives the roles of the request. No administrator has confirmed them, because they are automatic.
 * @throws InsufficientPermissions, ReauthenticationRequired
 */
export function requireConfirmedApproval(ctx: RequestContext, app: GoverningApp, roles: readonly string[]): void {
  if (needsConfirmation(app, null, roles)) requireConfirmation(ctx);
}

/**
 * Whether users who join on their own get these roles, at most. Then no administrator gives them anything: the app's
 * settings do, and changing these needs a recent sign-in itself (`criticalReasons`).
 */
export function areAutomatic(
  app: GoverningApp & { readonly config: { readonly auto_assign_roles: readonly string[] } },
  roles: readonly string[],
): boolean {
  if (app.isConsoleApp) return false;
  return roles.every((role) => role === 'user' || app.config.auto_assign_roles.includes(role));
}

/** The administrator or the tool that gives the authority, for the mails about it. */
export function giverOf({ actor }: RequestContext): string {
  if (actor.type === 'service') return 'The server of the app';
  return actor.type === 'user' ? actor.email : 'An operator at the command line';
}
