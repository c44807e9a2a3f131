import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';

@Entity('users')
@Unique('uq_users_email', ['emailCanonical'])
@Index('ix_users_created', ['createdAt', 'id'])
@Index('ix_users_off', ['createdAt', 'id'], { where: 'NOT is_active' })
@Index('ix_users_platform_admins', ['createdAt', 'id'], { where: 'is_platform_admin' })
@Index('ix_users_verified', ['createdAt', 'id'], { where: 'email_verified' })
@Index('ix_users_unverified', ['createdAt', 'id'], { where: 'NOT email_verified' })
@Index('ix_users_second_factor', ['createdAt', 'id'], { where: 'totp_enabled_at IS NOT NULL' })
@Index('ix_users_no_password', ['createdAt', 'id'], { where: 'password_hash IS NULL' })
@Index('ix_users_deletion_due', ['deletionDueAt'], { where: 'deletion_due_at IS NOT NULL' })
@Index('ix_users_email_prefix', { synchronize: false })
@Index('ix_users_email_trigrams', { synchronize: false })
@Index('ix_users_name_trigrams', { synchronize: false })
export class User {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_users' })
  id: string;

  /** As typed, but for outer blanks. */
  @Column('text')
  email: string;

  /** The same in lower case (see `readEmail`): what is compared and unique. */
  @Column('text')
  emailCanonical: string;

  @Column('text')
  displayName: string;

  /** Language tag (BCP 47) of pages and mails; null: the language of the browser. */
  @Column('text', { nullable: true })
  locale: string | null;

  @Column('boolean', { default: false })
  emailVerified: boolean;

  /** bcrypt string, or of another system until its next sign-in (see `password-string.ts`); null for a passwordless account. */
  @Column('text', { nullable: true })
  passwordHash: string | null;

  /** They have signed up, and no one else has set their password since. False also where it is not known. */
  @Column('boolean', { default: false })
  madeByOwner: boolean;

  /** They have set it themselves. False also where it is not known. */
  @Column('boolean', { default: false })
  passwordByOwner: boolean;

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

  /** Changes that they have scheduled earlier are not made; null: they were never signed out from elsewhere. */
  @Column('timestamptz', { nullable: true })
  plansValidFrom: Date | null;

  /** When a recovery last forgot the browsers that they had signed in from; null: never, or they had not signed in yet. */
  @Column('timestamptz', { nullable: true, select: false })
  browsersForgottenAt: Date | null;

  /** Counted up by the database with every change of password, second factor, state or `tokensValidFrom`. */
  @Column('integer', { default: 1 })
  credentialsVersion: number;

  /** When the owner's own deletion is carried out; null: none waits. */
  @Column('timestamptz', { nullable: true })
  deletionDueAt: Date | null;

  /** When they were reminded of it. */
  @Column('timestamptz', { nullable: true, select: false })
  deletionRemindedAt: Date | null;

  @Column('timestamptz', { nullable: true })
  lastLoginAt: Date | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;
}
