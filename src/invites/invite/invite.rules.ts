import { type AppOrigin, isSelfRegistered } from '../../apps/app/app-origin.rules.js';
import { isAdministrative } from '../../apps/settings/administrative-roles.rules.js';
import { type Actor, type Authority, authorityOf, canAdministerTenant } from '../../common/actor.js';

/**
 * `lapsed`: the creator no longer has the authority to give these roles. For a user who has the code, the invite looks
 * exhausted.
 */
export type InviteStatus = 'usable' | 'exhausted' | 'expired' | 'lapsed';

interface InvitedApp {
  readonly id: string;
  readonly tenantId: string;
  readonly isConsoleApp: boolean;
}

export interface Invitee {
  readonly id: string;
  readonly emailCanonical: string;
}

/** Why a user cannot use an invite that is usable for others. */
export type InviteBar = 'mailed_to_another' | 'made_acting';

/** The statement that takes a use applies the same conditions. Null: the user can use it. */
export function barOf(
  invite: { readonly emailCanonical: string | null; readonly madeActingBy: string | null },
  user: Invitee,
): InviteBar | null {
  if (invite.madeActingBy === user.id) return 'made_acting';
  return invite.emailCanonical === null || invite.emailCanonical === user.emailCanonical ? null : 'mailed_to_another';
}

export function inviteStatus(facts: { useCount: number; maxUses: number; isExpired: boolean }): InviteStatus {
  if (facts.useCount >= facts.maxUses) return 'exhausted';
  return facts.isExpired ? 'expired' : 'usable';
}

/**
 * Whether the caller may create an invite with these roles (docs/conventions.md, section 2): at most the roles that the
 * caller could assign. Enrollment in a Console app is authority over the tenant, so only operators who have it can
 * invite to one.
 */
export function judgeInviting(actor: Actor, app: InvitedApp, roles: readonly string[]): 'allowed' | 'forbidden' {
  if (governsInvites(actor, app)) return 'allowed';
  if (app.isConsoleApp) return 'forbidden';
  if (actor.type === 'service')
    return actor.appId === app.id && !roles.some(isAdministrative) ? 'allowed' : 'forbidden';
  return managesApp(actor, app) && isForUsers(roles) ? 'allowed' : 'forbidden';
}

/** The creator of an invite, as known when the invite is used. */
export interface Inviter {
  readonly email: string;
  readonly isActive: boolean;
  readonly authority: Authority;
}

/**
 * Whether an invite gives more than the role `user` in an ordinary app. The creator must then still have the authority
 * to create it when it is used (docs/decisions/0070).
 */
export function dependsOnInviter(app: InvitedApp, roles: readonly string[]): boolean {
  return app.isConsoleApp || !isForUsers(roles);
}

/**
 * Whether an invite for which {@link dependsOnInviter} is true can still be used: the creator is checked as if they
 * created it now.
 * @param inviter null if the account is gone. Without a creator, an app's server created the invite, unless
 * `madeByUser` says that it was a user who has since been deleted
 */
export function judgeInviter(
  invite: { readonly createdBy: string | null; readonly madeByUser: boolean; readonly roles: readonly string[] },
  app: InvitedApp & { readonly serviceScopes: readonly string[] },
  inviter: Inviter | null,
): 'allowed' | 'forbidden' {
  if (invite.createdBy === null) {
    if (invite.madeByUser) return 'forbidden';
    const scopes = new Set(app.serviceScopes);
    if (!scopes.has('invites:create')) return 'forbidden';
    return judgeInviting({ type: 'service', appId: app.id, tenantId: app.tenantId, scopes }, app, invite.roles);
  }
  if (!inviter?.isActive) return 'forbidden';
  const { email, authority } = inviter;
  return judgeInviting(
    { type: 'user', userId: invite.createdBy, email, audience: app.id, viaApp: null, authority },
    app,
    invite.roles,
  );
}

/** Whether the caller may revoke and resend an app's invites, and see all of them. */
export function governsInvites(actor: Actor, app: InvitedApp): boolean {
  if (canAdministerTenant(actor, app.tenantId)) return true;
  return !app.isConsoleApp && authorityOf(actor).appsAdministered.has(app.id);
}

/** Whether an invite has uses left and its app still accepts invited users. */
export function isRenewable(
  app: { readonly origin: AppOrigin },
  { useCount, maxUses }: { readonly useCount: number; readonly maxUses: number },
): boolean {
  return useCount < maxUses && !isSelfRegistered(app);
}

/** An app manager sees no code that would make a user an administrator. */
export function maySeeInvite(actor: Actor, app: InvitedApp, roles: readonly string[]): boolean {
  return governsInvites(actor, app) || (managesApp(actor, app) && isForUsers(roles));
}

export function managesApp(actor: Actor, app: InvitedApp): boolean {
  return !app.isConsoleApp && authorityOf(actor).appsManaged.has(app.id);
}

function isForUsers(roles: readonly string[]): boolean {
  return roles.every((role) => role === 'user');
}
