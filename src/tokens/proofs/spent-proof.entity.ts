import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A used signed proof, or a revoked service token: it must not be accepted again before it expires. */
@Entity('spent_proofs')
@Index('ix_spent_proofs_expires', ['expiresAt'])
export class SpentProof {
  /** SHA-256 of its kind, its owner and its `jti`. */
  @PrimaryColumn('bytea', { primaryKeyConstraintName: 'pk_spent_proofs' })
  proofHash: Buffer;

  @Column('timestamptz')
  expiresAt: Date;
}
