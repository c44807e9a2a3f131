import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A signed proof that has been used, or a service token that was revoked: it must not come again while it would still be accepted. */
@Entity('spent_proofs')
@Index('ix_spent_proofs_expires', ['expiresAt'])
export class SpentProof {
  /** SHA-256 of what kind it is, whose, and its `jti`. */
  @PrimaryColumn('bytea', { primaryKeyConstraintName: 'pk_spent_proofs' })
  proofHash: Buffer;

  @Column('timestamptz')
  expiresAt: Date;
}
