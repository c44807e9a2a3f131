import { createHash } from 'node:crypto';
import { NIL_UUID } from '../../common/validation/nil-uuid.js';
import type { AuditEntry } from '../entries/audit-entry.entity.js';

/** Id of the chain for entries without a tenant. */
export const NO_TENANT = NIL_UUID;

/** Previous hash of the first entry of every chain. */
export const GENESIS = Buffer.alloc(32);

/** The position of an entry in its chain. */
export interface Link {
  readonly seq: number;
  readonly prevHash: Buffer;
}

export function chainOf(tenantId: string | null): string {
  return tenantId ?? NO_TENANT;
}

/**
 * SHA-256 of the canonical JSON (RFC 8785) of the entry as `GET /admin/audit` shows it, with `seq` and `prev_hash` but
 * without `hash`, so that any reader of the entries can compute the hashes. The fields are listed here instead of taken
 * from the view, because one field more or less would break every existing chain.
 */
export function hashOf(entry: AuditEntry, { seq, prevHash }: Link): Buffer {
  const content = {
    id: entry.id,
    seq,
    created_at: entry.createdAt.toISOString(),
    action: entry.action,
    outcome: entry.outcome,
    actor: { type: entry.actorType, id: entry.actorId, email: entry.actorEmail },
    acting_as: entry.actingAs,
    user_id: entry.userId,
    tenant_id: entry.tenantId,
    app_id: entry.appId,
    target:
      entry.targetType === null && entry.targetId === null ? null : { type: entry.targetType, id: entry.targetId },
    ip_address: entry.ipAddress,
    user_agent: entry.userAgent,
    request_id: entry.requestId,
    metadata: entry.metadata,
    prev_hash: prevHash.toString('hex'),
  };
  return createHash('sha256').update(canonicalJson(content)).digest();
}

/** RFC 8785: no blanks, keys ordered by UTF-16 code units, strings and numbers as in ECMAScript. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.entries(value).map(
    ([key, member]) => [JSON.stringify(key), canonicalJson(member), key] as const,
  );
  members.sort(([, , a], [, , b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${key}:${member}`).join(',')}}`;
}

/** Whether an entry fits its position, or what is wrong. `expected` follows from the previous entry. */
export function judgeLink(entry: AuditEntry, expected: Link): 'ok' | 'sequence' | 'link' | 'hash' {
  if (Number(entry.seq) !== expected.seq) return 'sequence';
  if (!entry.prevHash?.equals(expected.prevHash)) return 'link';
  return entry.hash?.equals(hashOf(entry, expected)) ? 'ok' : 'hash';
}
