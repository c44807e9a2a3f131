import type { AuditEntry } from './audit-entry.entity.js';

/** The one shape in which an audit entry leaves the service. Hashes are hex. */
export function auditEntryView(entry: AuditEntry) {
  return {
    id: entry.id,
    seq: entry.seq === null ? null : Number(entry.seq),
    created_at: entry.createdAt.toISOString(),
    action: entry.action,
    outcome: entry.outcome,
    actor: { type: entry.actorType, id: entry.actorId, email: entry.actorEmail },
    acting_as: entry.actingAs,
    user_id: entry.userId,
    tenant_id: entry.tenantId,
    app_id: entry.appId,
    target: entry.targetType === null ? null : { type: entry.targetType, id: entry.targetId },
    ip_address: entry.ipAddress,
    user_agent: entry.userAgent,
    request_id: entry.requestId,
    metadata: entry.metadata,
    prev_hash: entry.prevHash?.toString('hex') ?? null,
    hash: entry.hash?.toString('hex') ?? null,
  };
}
