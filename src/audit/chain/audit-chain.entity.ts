import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** The head of a chain, from which the sealer continues. A trigger prevents it from going back. */
@Entity('audit_chains')
@Check('ck_audit_chains_head', 'last_seq >= 0 AND octet_length(last_hash) = 32')
export class AuditChain {
  /** Tenant id, or NO_TENANT. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_audit_chains' })
  id: string;

  @Column('bigint', { default: 0 })
  lastSeq: string;

  @Column('bytea', { default: () => "decode(repeat('00', 32), 'hex')" })
  lastHash: Buffer;

  @Column('timestamptz', { default: () => 'now()' })
  sealedAt: Date;
}
