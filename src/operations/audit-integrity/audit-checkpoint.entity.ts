import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Our signature on how a chain stood at some time. Append-only: a trigger refuses all else. */
@Entity('audit_checkpoints')
export class AuditCheckpoint {
  /** The tenant, or NO_TENANT. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_audit_checkpoints' })
  chainId: string;

  @PrimaryColumn('bigint', { primaryKeyConstraintName: 'pk_audit_checkpoints' })
  seq: string;

  @Column('bytea')
  hash: Buffer;

  @Column('text')
  kid: string;

  /** Compact JWS over `{iss, chain, seq, hash, time}`. Only what it says counts; the columns are for finding it. */
  @Column('text')
  jws: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;
}
