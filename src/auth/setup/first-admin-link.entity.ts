import { Column, Entity, PrimaryColumn } from 'typeorm';

/** One-time link that makes the first platform admin. */
@Entity('first_admin_links')
export class FirstAdminLink {
  /** SHA-256 of the token in the link. */
  @PrimaryColumn('bytea', { primaryKeyConstraintName: 'pk_first_admin_links' })
  tokenHash: Buffer;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz')
  expiresAt: Date;

  @Column('timestamptz', { nullable: true })
  usedAt: Date | null;
}
