import { ApiProperty } from '@nestjs/swagger';
import type { AuditEntry } from './entries/audit-entry.entity.js';

class AuditActorView {
  @ApiProperty({ enum: ['user', 'service', 'system', 'anonymous'] }) type: string;
  @ApiProperty({ type: String, nullable: true }) id: string | null;
  @ApiProperty({ type: String, nullable: true }) email: string | null;
}

class AuditTargetView {
  @ApiProperty({ type: String }) type: string | null;
  @ApiProperty({ type: String }) id: string | null;
}

export class AuditEntryView {
  @ApiProperty({ format: 'uuid' }) id: string;
  @ApiProperty({ type: 'integer', nullable: true, description: 'Position in the tenant’s chain, from 1' })
  seq: number | null;
  @ApiProperty({ format: 'date-time' }) created_at: string;
  @ApiProperty({ example: 'user.login_failed' }) action: string;
  @ApiProperty({ enum: ['success', 'failure', 'denied'] }) outcome: string;
  @ApiProperty() actor: AuditActorView;
  @ApiProperty({
    type: 'object',
    nullable: true,
    additionalProperties: true,
    description: 'During an impersonation: the role that the administrator acts in',
  })
  acting_as: Record<string, unknown> | null;
  @ApiProperty({ type: String, format: 'uuid', nullable: true }) user_id: string | null;
  @ApiProperty({ type: String, format: 'uuid', nullable: true }) tenant_id: string | null;
  @ApiProperty({ type: String, format: 'uuid', nullable: true }) app_id: string | null;
  @ApiProperty({ type: AuditTargetView, nullable: true }) target: AuditTargetView | null;
  @ApiProperty({ type: String, nullable: true }) ip_address: string | null;
  @ApiProperty({ type: String, nullable: true }) user_agent: string | null;
  @ApiProperty({ type: String, nullable: true }) request_id: string | null;
  @ApiProperty({ type: 'object', additionalProperties: true }) metadata: Record<string, unknown>;
  @ApiProperty({ type: String, nullable: true, description: 'Hex; the hash of the previous entry in the chain' })
  prev_hash: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Hex; SHA-256 over the other fields in canonical JSON' })
  hash: string | null;
}

/** The shape of an audit entry in every answer. Hashes are hex. */
export function auditEntryView(entry: AuditEntry): AuditEntryView {
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
    target:
      entry.targetType === null && entry.targetId === null ? null : { type: entry.targetType, id: entry.targetId },
    ip_address: entry.ipAddress,
    user_agent: entry.userAgent,
    request_id: entry.requestId,
    metadata: entry.metadata,
    prev_hash: entry.prevHash?.toString('hex') ?? null,
    hash: entry.hash?.toString('hex') ?? null,
  };
}
