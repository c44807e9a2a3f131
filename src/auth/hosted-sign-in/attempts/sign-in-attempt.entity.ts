import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { App } from '../../../apps/app/app.entity.js';
import { User } from '../../../users/user.entity.js';
import type { AuthorizationRequest } from '../authorization-request/authorization-request.js';

/**
 * A hosted sign-in in progress: the request of the app, and how the user has authenticated so far. Expires after one
 * hour.
 */
@Entity('sign_in_attempts')
@Index('ix_sign_in_attempts_expires', ['expiresAt'])
@Index('ix_sign_in_attempts_user', ['userId'], { where: 'user_id IS NOT NULL' })
@Index('ix_sign_in_attempts_app', ['appId'])
export class SignInAttempt {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_sign_in_attempts' })
  id: string;

  /** SHA-256 of the browser cookie: no other browser can continue the sign-in. */
  @Column('bytea')
  browserHash: Buffer;

  @ForeignKey(() => App, { name: 'fk_sign_in_attempts_app', onDelete: 'CASCADE' })
  @Column('uuid')
  appId: string;

  @Column('jsonb')
  request: AuthorizationRequest;

  /** The authenticated user; null until the first factor. */
  @ForeignKey(() => User, { name: 'fk_sign_in_attempts_user', onDelete: 'CASCADE' })
  @Column('uuid', { nullable: true })
  userId: string | null;

  @Column('timestamptz', { nullable: true })
  authTime: Date | null;

  @Column('text', { array: true, default: [] })
  amr: string[];

  /** `sid` of the browser session that was opened with this identity; null while there is none. */
  @Column('uuid', { nullable: true })
  sid: string | null;

  /** True where the identity came from an SSO session and not from credentials in this attempt. */
  @Column('boolean', { default: false })
  viaSso: boolean;

  /**
   * Version of the account's credentials when the user authenticated. If it has changed, the attempt no longer
   * identifies the user.
   */
  @Column('integer', { default: 1 })
  credentialsVersion: number;

  /** By the clock of the database: a later end of all sessions of the user also ends the identification. */
  @Column('timestamptz', { default: () => 'now()' })
  identifiedAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz')
  expiresAt: Date;

  /** Set once, by the request that delivers the result. */
  @Column('timestamptz', { nullable: true })
  finishedAt: Date | null;

  /** Not stored: the account of the identified user has changed since. The page says why they have to sign in again. */
  readonly isOutdated?: boolean;
}
