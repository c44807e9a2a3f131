import type { RegisteredClient } from '../../apps/directory/app-directory.js';
import { type Actor, canAdministerApp, canAdministerPlatform } from '../../common/actor.js';
import type { SignInSettings } from './entrant-of-row.js';
import type { EntrantRow } from './entrants.repository.js';
import { methodsOf } from './methods/sign-in-methods.rules.js';

/** What a caller may know about users whose sign-ins are evaluated. */
export interface Visibility {
  readonly isUnlimited: boolean;
  /** Whether the caller may know the users' data at this app. */
  includes(app: { readonly id: string; readonly tenantId: string }): boolean;
}

export const EVERYTHING: Visibility = { isUnlimited: true, includes: () => true };

export function visibilityOf(actor: Actor): Visibility {
  if (canAdministerPlatform(actor)) return EVERYTHING;
  return { isUnlimited: false, includes: (app) => canAdministerApp(actor, app) };
}

/**
 * Limits the row of a user at a client to what the caller may see (docs/decisions/0074). Every evaluation for a caller
 * must use the limited row. Platform admins get the whole row, other callers:
 * - memberships only in apps that the caller administers, and no platform admin status;
 * - linked accounts and passkeys only of the kind that the user used for the last sign-in here;
 * - status, roles and last sign-in only at a client that the caller administers.
 */
export function limitToVisible(
  visibility: Visibility,
  row: EntrantRow,
  { app }: RegisteredClient,
  { clientOf }: Pick<SignInSettings, 'clientOf'>,
): EntrantRow {
  if (visibility.isUnlimited) return row;
  const here = visibility.includes(app) ? row : { status: null, roles: null, lastAmr: null };
  const lastAmr = here.lastAmr ?? [];
  const isKnown = (appId: string) => {
    const client = clientOf(appId);
    return client !== null && visibility.includes(client.app);
  };
  const used = lastAmr.length > 0 ? methodsOf(lastAmr) : [];
  return {
    ...row,
    ...{ status: here.status, roles: here.roles, lastAmr: here.lastAmr },
    isPlatformAdmin: false,
    memberships: row.memberships.filter(({ appId }) => isKnown(appId)),
    inactiveAt: row.inactiveAt.filter(({ appId }) => isKnown(appId)),
    passkeys: row.passkeys.filter(({ isSynced }) => lastAmr.includes(isSynced ? 'swk' : 'hwk')),
    providers: row.providers.filter((name) => used.includes(name)),
  };
}
