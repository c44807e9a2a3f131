import { Check, Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import type { ActorType, AuditAction, AuditOutcome } from './audit-action.js';

/** Append-only: a trigger refuses updates and deletions. No foreign keys, because an entry must outlive its subject. */
@Entity('audit_entries')
@Index('ix_audit_entries_created', ['createdAt', 'id'])
@Index('ix_audit_entries_tenant', ['tenantId', 'createdAt', 'id'])
@Index('ix_audit_entries_app', ['appId', 'createdAt', 'id'])
@Index('ix_audit_entries_user', ['userId', 'createdAt', 'id'])
@Index('ix_audit_entries_actor', ['actorId', 'createdAt', 'id'], { where: "actor_type = 'user'" })
@Index('ix_audit_entries_action', ['action', 'createdAt', 'id'])
@Unique('uq_audit_entries_seq', ['tenantId', 'seq'])
@Index('uq_audit_entries_seq_no_tenant', ['seq'], { unique: true, where: 'tenant_id IS NULL' })
@Index('ix_audit_entries_tried', { synchronize: false })
@Index('ix_audit_entries_unsealed', ['ordinal'], { where: 'seq IS NULL' })
@Check('ck_audit_entries_outcome', "outcome IN ('success', 'failure', 'denied')")
@Check(
  'ck_audit_entries_seal',
  '(seq IS NULL AND prev_hash IS NULL AND hash IS NULL) OR (seq > 0 AND num_nulls(prev_hash, hash) = 0 AND octet_length(prev_hash) = 32 AND octet_length(hash) = 32)',
)
export class AuditEntry {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_audit_entries' })
  id: string;

  /** With millisecond precision, as it is shown and sealed. */
  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  /** From a sequence: the order in which the sealer takes entries. */
  @Column('bigint', { default: () => "nextval('audit_entry_ordinals')" })
  ordinal: string;

  @Column('text')
  action: AuditAction;

  @Column('text', { default: 'success' })
  outcome: AuditOutcome;

  @Column('text')
  actorType: ActorType;

  /** User id, app id, or the name of a system actor. */
  @Column('text', { nullable: true })
  actorId: string | null;

  @Column('text', { nullable: true })
  actorEmail: string | null;

  /** Set while a user impersonates a tenant or an app. */
  @Column('jsonb', { nullable: true })
  actingAs: Record<string, unknown> | null;

  /** The user whom the entry is about. */
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

  /** Position in the tenant's chain, from 1. Set by the sealer together with the hashes. */
  @Column('bigint', { nullable: true })
  seq: string | null;

  @Column('bytea', { nullable: true })
  prevHash: Buffer | null;

  @Column('bytea', { nullable: true })
  hash: Buffer | null;
}
