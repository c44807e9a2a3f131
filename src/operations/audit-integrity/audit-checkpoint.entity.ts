import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A signature on the head of a chain at some time. Append-only: a trigger refuses updates and deletions. */
@Entity('audit_checkpoints')
export class AuditCheckpoint {
  /** Tenant id, or NO_TENANT. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_audit_checkpoints' })
  chainId: string;

  @PrimaryColumn('bigint', { primaryKeyConstraintName: 'pk_audit_checkpoints' })
  seq: string;

  @Column('bytea')
  hash: Buffer;

  @Column('text')
  kid: string;

  /** Compact JWS over `{iss, chain, seq, hash, time}`. Only its content counts; the columns are for finding it. */
  @Column('text')
  jws: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;
}
