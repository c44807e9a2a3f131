import { auditEntryView } from '../../audit/audit-entry.view.js';
import type { AuditEntry } from '../../audit/entries/audit-entry.entity.js';
import type { ExportFormat } from './audit.dto.js';
import { csvLine } from './csv.rules.js';

/** An export format: its header and how it writes an entry. */
interface EntryText {
  readonly contentType: string;
  readonly head: string;
  line(entry: AuditEntry): string;
}

const COLUMNS = [
  ...['created_at', 'action', 'outcome', 'actor_type', 'actor_id', 'actor_email', 'acting_as', 'user_id', 'tenant_id'],
  ...['app_id', 'target_type', 'target_id', 'ip_address', 'user_agent', 'request_id', 'metadata', 'id', 'seq'],
  ...['prev_hash', 'hash'],
];

export const ENTRY_TEXTS: Readonly<Record<ExportFormat, EntryText>> = {
  csv: { contentType: 'text/csv; charset=utf-8', head: csvLine(COLUMNS), line: (entry) => csvLine(cellsOf(entry)) },
  // Each line is the entry as `GET /admin/audit` shows it.
  ndjson: {
    contentType: 'application/x-ndjson; charset=utf-8',
    head: '',
    line: (entry) => `${JSON.stringify(auditEntryView(entry))}\n`,
  },
};

function cellsOf(entry: AuditEntry): (string | number | null)[] {
  const { actor, acting_as: actingAs, target, metadata, ...view } = auditEntryView(entry);
  return [
    ...[view.created_at, view.action, view.outcome, actor.type, actor.id, actor.email],
    ...[actingAs && JSON.stringify(actingAs), view.user_id, view.tenant_id, view.app_id],
    ...[target?.type ?? null, target?.id ?? null, view.ip_address, view.user_agent, view.request_id],
    ...[JSON.stringify(metadata), view.id, view.seq, view.prev_hash, view.hash],
  ];
}
