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

  /** As typed, without surrounding blanks. */
  @Column('text')
  email: string;

  /** In lower case (see `readEmail`): compared, and unique. */
  @Column('text')
  emailCanonical: string;

  @Column('text')
  displayName: string;

  /** Language tag (BCP 47) of pages and mails; null: the language of the browser. */
  @Column('text', { nullable: true })
  locale: string | null;

  @Column('boolean', { default: false })
  emailVerified: boolean;

  /**
   * bcrypt, or the format of another system until the next sign-in (see `password-string.ts`); null without a password.
   */
  @Column('text', { nullable: true })
  passwordHash: string | null;

  /** True if the user has signed up, and no one else has set their password since. False also if unknown. */
  @Column('boolean', { default: false })
  madeByOwner: boolean;

  /** True if the user has set the password. False also if unknown. */
  @Column('boolean', { default: false })
  passwordByOwner: boolean;

  @Column('boolean', { default: true })
  isActive: boolean;

  @Column('boolean', { default: false })
  isPlatformAdmin: boolean;

  /** Time since which a second factor is required; null: none is set up. */
  @Column('timestamptz', { nullable: true })
  totpEnabledAt: Date | null;

  /** Refresh token families and SSO sessions that began earlier are invalid. */
  @Column('timestamptz', { default: () => "'-infinity'", select: false })
  tokensValidFrom: Date;

  /** Changes that the user scheduled earlier are void; null: the user was never signed out remotely. */
  @Column('timestamptz', { nullable: true })
  plansValidFrom: Date | null;

  /** When a recovery last deleted the known browsers of the user; null: never, or before the first sign-in. */
  @Column('timestamptz', { nullable: true, select: false })
  browsersForgottenAt: Date | null;

  /** Incremented by the database with every change of password, second factor, state or `tokensValidFrom`. */
  @Column('integer', { default: 1 })
  credentialsVersion: number;

  /** When the deletion that the user requested is due; null: none is pending. */
  @Column('timestamptz', { nullable: true })
  deletionDueAt: Date | null;

  /** When the user was reminded of the deletion. */
  @Column('timestamptz', { nullable: true, select: false })
  deletionRemindedAt: Date | null;

  /** When a deletion last began to delete the user's notifications, or failed. */
  @Column('timestamptz', { nullable: true, select: false })
  deletionTriedAt: Date | null;

  @Column('timestamptz', { nullable: true })
  lastLoginAt: Date | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;
}
