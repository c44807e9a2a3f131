import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A read that has its entry in the audit log: until it expires, a repetition gets none. */
@Entity('audited_reads')
@Index('ix_audited_reads_expires', ['expiresAt'])
export class AuditedRead {
  /** SHA-256 of the caller and their network, what was read, and its content. */
  @PrimaryColumn('bytea', { primaryKeyConstraintName: 'pk_audited_reads' })
  readHash: Buffer;

  @Column('timestamptz')
  expiresAt: Date;
}
