import { Check, Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import type { AuditAction, AuditOutcome } from './audit-action.js';

/** Append-only (a trigger refuses all else). No foreign keys: an entry outlives what it speaks of. */
@Entity('audit_entries')
@Index('ix_audit_entries_created', ['createdAt', 'id'])
@Index('ix_audit_entries_tenant', ['tenantId', 'createdAt', 'id'])
@Index('ix_audit_entries_app', ['appId', 'createdAt', 'id'])
@Index('ix_audit_entries_user', ['userId', 'createdAt', 'id'])
@Index('ix_audit_entries_action', ['action', 'createdAt', 'id'])
@Unique('uq_audit_entries_seq', ['tenantId', 'seq'])
@Check('ck_audit_entries_outcome', "outcome IN ('success', 'failure', 'denied')")
export class AuditEntry {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_audit_entries' })
  id: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('text')
  action: AuditAction;

  @Column('text', { default: 'success' })
  outcome: AuditOutcome;

  @Column('text')
  actorType: 'user' | 'service' | 'system' | 'anonymous';

  /** User or app id; a system actor's name. */
  @Column('text', { nullable: true })
  actorId: string | null;

  @Column('text', { nullable: true })
  actorEmail: string | null;

  /** Set while somebody impersonates a tenant or an app. */
  @Column('jsonb', { nullable: true })
  actingAs: Record<string, unknown> | null;

  /** The person concerned. */
  @Column('uuid', { nullable: true })
  userId: string | null;

  @Column('uuid', { nullable: true })
  tenantId: string | null;

  @Column('uuid', { nullable: true })
  appId: string | null;

  @Column('text', { nullable: true })
  targetType: string | null;

  @Column('text', { nullable: true })
  targetId: string | null;

  @Column('text', { nullable: true })
  ipAddress: string | null;

  @Column('text', { nullable: true })
  userAgent: string | null;

  @Column('text', { nullable: true })
  requestId: string | null;

  @Column('jsonb', { default: {} })
  metadata: Record<string, unknown>;

  /** Position in the tenant's chain; filled by the sealer together with the hashes. */
  @Column('bigint', { nullable: true })
  seq: string | null;

  @Column('bytea', { nullable: true })
  prevHash: Buffer | null;

  @Column('bytea', { nullable: true })
  hash: Buffer | null;
}
