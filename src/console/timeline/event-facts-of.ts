import type { EntryNames } from '../../admin/audit-log/audit-names.js';
import type { AuditEntry } from '../../audit/entries/audit-entry.entity.js';
import { describeUserAgent, UNKNOWN_BROWSER } from '../../auth/session/known-browsers/user-agent.rules.js';
import { canAdministerTenant, type UserActor } from '../../common/actor.js';
import type { EventFacts, NamedEntity } from './event-facts.js';
import { text } from './event-words.js';

const SHORT = 8;

/** Data for the sentence of an entry. @param reader links only lead to pages that they may open */
export function factsOf(entry: AuditEntry, names: EntryNames, reader: UserActor): EventFacts {
  const { action, outcome, metadata, actorType, actorId, userId, ipAddress, userAgent } = entry;
  const user = userId ? userNamed(userId, names, action === 'user.deleted' ? text(metadata['email']) : '') : null;
  return {
    action,
    outcome,
    metadata,
    actor: actorOf(entry, names, user),
    user,
    isOwn: userId !== null && (actorType === 'anonymous' || (actorType === 'user' && actorId === userId)),
    app: entry.appId ? appNamed(entry.appId, names) : null,
    tenant: entry.tenantId ? tenantNamed(entry.tenantId, names, reader) : null,
    from: ipAddress,
    on: userAgent && programOf(userAgent),
    actingAs: action.startsWith('impersonation.') ? null : actingAs(entry.actingAs),
  };
}

/** Browser and system as text; for other programs their name, for example `curl/8`. */
export function programOf(userAgent: string): string {
  const described = describeUserAgent(userAgent);
  return described === UNKNOWN_BROWSER ? (userAgent.split(/[\s(]/, 1)[0] ?? '') || described : described;
}

/** For a sign-in with a wrong password, only the typed address is known. */
function actorOf(
  { actorType, actorId, actorEmail, metadata }: AuditEntry,
  names: EntryNames,
  user: NamedEntity | null,
): NamedEntity {
  switch (actorType) {
    case 'user':
      return actorId ? userNamed(actorId, names, actorEmail ?? '') : { text: actorEmail ?? 'Unknown user', href: null };
    case 'service':
      return { text: `The server of ${actorId ? appNamed(actorId, names).text : 'an app'}`, href: null };
    case 'system':
      return { text: 'The system', href: null };
    case 'anonymous':
      return user ?? { text: text(metadata['email']) || 'Unknown user', href: null };
  }
}

/** @param otherwise text for a user without a known name; empty: the id */
function userNamed(id: string, names: EntryNames, otherwise: string): NamedEntity {
  const found = names.find('user', id);
  if (found) return { text: found.name || found.email || id, href: `/console/users/${id}` };
  return { text: otherwise || `user ${missing(id, names)}`, href: null };
}

function appNamed(id: string, names: EntryNames): NamedEntity {
  const found = names.find('app', id);
  return found ? { text: found.name, href: `/console/apps/${id}` } : { text: `app ${missing(id, names)}`, href: null };
}

function tenantNamed(id: string, names: EntryNames, reader: UserActor): NamedEntity {
  const found = names.find('tenant', id);
  if (!found) return { text: `tenant ${missing(id, names)}`, href: null };
  return { text: found.name, href: canAdministerTenant(reader, id) ? `/console/tenants/${id}` : null };
}

/** An operator who does not see everything must not learn whether an account still exists in other apps. */
function missing(id: string, { seesAll }: EntryNames): string {
  return `${id.slice(0, SHORT)} (${seesAll ? 'deleted' : 'deleted or not in your apps'})`;
}

function actingAs(impersonation: AuditEntry['actingAs']): string | null {
  return impersonation ? `the ${text(impersonation['type'])} ${text(impersonation['name'])}` : null;
}
