import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';

@Entity('users')
@Unique('uq_users_email', ['emailCanonical'])
@Index('ix_users_created', ['createdAt', 'id'])
@Index('ix_users_email_prefix', { synchronize: false })
@Index('ix_users_email_trigrams', { synchronize: false })
export class User {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_users' })
  id: string;

  /** As typed. */
  @Column('text')
  email: string;

  /** `canonicalEmail(email)`: what is compared and unique. */
  @Column('text')
  emailCanonical: string;

  @Column('text')
  displayName: string;

  @Column('boolean', { default: false })
  emailVerified: boolean;

  /** bcrypt string (see `password-string.ts`), null for a passwordless account. */
  @Column('text', { nullable: true })
  passwordHash: string | null;

  @Column('boolean', { default: true })
  isActive: boolean;

  @Column('boolean', { default: false })
  isPlatformAdmin: boolean;

  /** Since when a second factor is asked for; null: none is set up. */
  @Column('timestamptz', { nullable: true })
  totpEnabledAt: Date | null;

  /** Refresh families and SSO sessions begun earlier are dead. */
  @Column('timestamptz', { default: () => "'-infinity'", select: false })
  tokensValidFrom: Date;

  @Column('timestamptz', { nullable: true })
  lastLoginAt: Date | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;
}
