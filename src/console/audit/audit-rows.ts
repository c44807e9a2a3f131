import type { EntryNames } from '../../admin/audit-log/audit-names.js';
import type { ListedComparison } from '../../apps/comparisons/change-comparisons.repository.js';
import { auditEntryView } from '../../audit/audit-entry.view.js';
import type { AuditEntry } from '../../audit/entries/audit-entry.entity.js';
import type { UserActor } from '../../common/actor.js';
import { timeInWords } from '../../common/pages/time-in-words.js';
import { comparisonInWords } from '../previews/comparison-words.js';
import type { EventFacts, NamedEntity } from '../timeline/event-facts.js';
import { factsOf } from '../timeline/event-facts-of.js';
import { describeEvent } from '../timeline/event-sentences.js';

const OUTCOMES = { success: null, failure: { text: 'Failed', tone: 'bad' }, denied: { text: 'Denied', tone: 'bad' } };

interface Fact {
  readonly label: string;
  readonly value: string;
  readonly href: string | null;
}

/** A row of the log, with its details. */
export function auditRow(
  entry: AuditEntry,
  comparison: ListedComparison | undefined,
  names: EntryNames,
  { reader, now }: { readonly reader: UserActor; readonly now: Date },
) {
  const facts = factsOf(entry, names, reader);
  const { parts, tone, text } = describeEvent(facts);
  const { app, tenant, from, on } = facts;
  return {
    id: entry.id,
    action: entry.action,
    text,
    parts,
    tone,
    outcome: OUTCOMES[entry.outcome],
    when: timeInWords(entry.createdAt, now),
    app,
    tenant,
    from,
    on,
    userAgent: entry.userAgent ?? '',
    comparison: comparison ? comparisonInWords(comparison) : null,
    filters: filtersOf(entry),
    ...detailsOf(entry, facts, names),
  };
}

function detailsOf(entry: AuditEntry, facts: EventFacts, names: EntryNames) {
  const view = auditEntryView(entry);
  const { actor, acting_as: actingAs, target } = view;
  const emailOf = (id: string | null) => names.find('user', id)?.email ?? null;
  const named = ({ text, href }: NamedEntity, ...more: (string | null)[]) => ({ value: joined(text, ...more), href });
  const plain = (value: string | null | undefined) => (value ? { value, href: null } : null);
  const facts_: readonly (readonly [string, { value: string; href: string | null } | null])[] = [
    ['Time', plain(view.created_at)],
    ['Action', plain(`${view.action}, ${view.outcome}`)],
    ['By', named(facts.actor, actor.email ?? emailOf(actor.id), actor.id, actor.type === 'user' ? null : actor.type)],
    ['Impersonating', plain(actingAs && actingAsInWords(actingAs))],
    ['User', facts.user && named(facts.user, emailOf(view.user_id), view.user_id)],
    ['Tenant', facts.tenant && named(facts.tenant, view.tenant_id)],
    ['App', facts.app && named(facts.app, view.app_id)],
    ['Target', plain(target && joined(target.type, target.id))],
    ['IP address', plain(view.ip_address)],
    ['Browser or program', plain(view.user_agent)],
    ['Request', plain(view.request_id)],
    ['Entry', plain(view.id)],
    ['Seal', plain(view.seq === null ? 'Not sealed yet' : `Number ${view.seq.toLocaleString('en')} in the log`)],
    ['Hash', plain(view.hash)],
    ['Hash of the previous entry', plain(view.prev_hash)],
  ];
  return {
    facts: facts_.flatMap(([label, fact]): Fact[] => (fact ? [{ label, ...fact }] : [])),
    metadata: JSON.stringify(view.metadata, null, 2),
    hasMetadata: Object.keys(view.metadata).length > 0,
  };
}

/** Links to similar entries. */
function filtersOf({ action, userId, appId }: AuditEntry): { label: string; href: string }[] {
  const filter = (label: string, parameters: Record<string, string>) => ({
    label,
    href: `/console/audit?${new URLSearchParams(parameters).toString()}`,
  });
  return [
    filter('This action', { action }),
    ...(userId ? [filter('This user', { person: userId })] : []),
    ...(appId ? [filter('This app', { app_id: appId })] : []),
  ];
}

/** For example `the tenant Acme, 01a2…, reason: Ticket 12`. */
function actingAsInWords({ type, id, name, reason }: Record<string, unknown>): string {
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  return joined(`the ${text(type)} ${text(name)}`, text(id), text(reason) && `reason: ${text(reason)}`);
}

function joined(...parts: readonly (string | null)[]): string {
  return [...new Set(parts)].filter(Boolean).join(', ');
}
