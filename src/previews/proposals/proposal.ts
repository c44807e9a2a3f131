import type { RegisteredClient } from '../../apps/directory/app-directory.js';
import type { EntrantRow, UserSelection } from '../../auth/entry/entrants.repository.js';
import type { Visibility } from '../../auth/entry/visibility.js';
import type { ProviderName } from '../../config/provider-settings.js';

/** An app with its tenant, before and after the change. */
export interface ClientChange {
  readonly before: RegisteredClient;
  readonly after: RegisteredClient;
  /** Absent: its members, or the users in the proposal. */
  readonly whom?: UserSelection;
}

/** A proposed change. */
export interface Proposal {
  /** The apps whose sign-in it affects. */
  readonly clients: readonly ClientChange[];
  /**
   * Apps that change as well, but whose members are not evaluated. Their tenant may have requirements for its
   * administrators that apply elsewhere.
   */
  readonly alsoChanged?: readonly ClientChange[];
  /** The tenant of the change. */
  readonly tenantId: string | null;
  /** Absent: all members. */
  readonly userIds?: readonly string[];
  /** Returns a member of an app after the change; absent: unchanged. */
  readonly memberAfter?: (row: EntrantRow, appId: string) => EntrantRow;
  /** An identity provider that the installation would no longer have. */
  readonly withoutProvider?: ProviderName;
}

export function whomOf(
  { before: { app, tenant }, whom }: ClientChange,
  { userIds, withoutProvider }: Proposal,
): UserSelection {
  if (whom) return whom;
  if (userIds) return userIds;
  if (withoutProvider) return { linkedTo: withoutProvider };
  return app.isConsoleApp && tenant.isPlatform ? 'administrators' : 'members';
}

/** What every operator who may make the change can see: the apps of the change. */
export function visibleToAllMakers({ clients, tenantId }: Proposal): Visibility {
  const changed = new Set(clients.map(({ before }) => before.app.id));
  return { isUnlimited: false, includes: (app) => app.tenantId === tenantId && changed.has(app.id) };
}
