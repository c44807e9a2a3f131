import type { RegisteredClient } from '../../apps/directory/app-directory.js';
import type { EntrantRow, Whom } from '../../auth/entry/entrants.repository.js';
import { EVERYTHING, type Knowledge } from '../../auth/entry/knowledge.js';
import type { ProviderName } from '../../config/provider-settings.js';

/** One app with its tenant, as it is and as it would be. */
export interface ClientChange {
  readonly before: RegisteredClient;
  readonly after: RegisteredClient;
  /** Absent: its members, or whom the proposal names. */
  readonly whom?: Whom;
}

/** What is proposed. */
export interface Proposal {
  /** The apps whose sign-in it concerns. */
  readonly clients: readonly ClientChange[];
  /** Apps that change as well, whose members are not looked at. Their tenant may demand something of its administrators elsewhere. */
  readonly alsoChanged?: readonly ClientChange[];
  /** In whose tenant. */
  readonly tenantId: string | null;
  /** Absent: all members. */
  readonly userIds?: readonly string[];
  /** A member of an app as they would be; absent: as they are. */
  readonly memberAfter?: (row: EntrantRow, appId: string) => EntrantRow;
  /** An identity provider that the installation would no longer have. */
  readonly withoutProvider?: ProviderName;
}

export function whomOf({ before: { app, tenant }, whom }: ClientChange, { userIds, withoutProvider }: Proposal): Whom {
  if (whom) return whom;
  if (userIds) return userIds;
  if (withoutProvider) return { linkedTo: withoutProvider };
  return app.isConsoleApp && tenant.isPlatform ? 'administrators' : 'members';
}

/** What all who may make the change know: the apps that it is about. */
export function knownToAllMakers({ clients, tenantId }: Proposal): Knowledge {
  const changed = new Set(clients.map(({ before }) => before.app.id));
  return { ofEverything: false, of: (app) => app.tenantId === tenantId && changed.has(app.id) };
}

/** @param knowsAll the operator who made the change could know everything */
export function knowledgeFor(proposal: Proposal, knowsAll: boolean): Knowledge {
  return knowsAll ? EVERYTHING : knownToAllMakers(proposal);
}
