import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * A token of a family. Deliberately without a foreign key to the family, whose check would cost every refresh a row
 * lock; every reader joins the family, and the purge removes both.
 */
@Entity('refresh_tokens')
@Index('ix_refresh_tokens_expires', { synchronize: false })
@Index('ix_refresh_tokens_issued', { synchronize: false })
export class RefreshToken {
  /** SHA-256 of the token. */
  @PrimaryColumn('bytea', { primaryKeyConstraintName: 'pk_refresh_tokens' })
  tokenHash: Buffer;

  @Column('uuid')
  familyId: string;

  @Column('timestamptz', { default: () => 'now()' })
  issuedAt: Date;

  @Column('timestamptz')
  expiresAt: Date;

  /** Set once, by the refresh that replaced it. */
  @Column('timestamptz', { nullable: true })
  rotatedAt: Date | null;

  /** Further successors that it got within `refresh_grace_seconds` of its app. */
  @Column('smallint', { default: 0 })
  reuses: number;
}
