import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { User } from '../../users/user.entity.js';

/**
 * A sign-in of a browser at this service, identified by the SSO cookie. Ends after 24 hours without use, and after 7
 * days in any case.
 */
@Entity('sso_sessions')
@Unique('uq_sso_sessions_token', ['tokenHash'])
@Index('ix_sso_sessions_user', ['userId'])
@Index('ix_sso_sessions_expires', ['expiresAt'])
export class SsoSession {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_sso_sessions' })
  id: string;

  /** The `sid` that apps get. A later sign-in of the same user in this browser keeps it. Null: the same as `id`. */
  @Column('uuid', { nullable: true })
  sid: string | null;

  /** SHA-256 of the cookie's value. */
  @Column('bytea')
  tokenHash: Buffer;

  @ForeignKey(() => User, { name: 'fk_sso_sessions_user', onDelete: 'CASCADE' })
  @Column('uuid')
  userId: string;

  @Column('timestamptz')
  authTime: Date;

  @Column('text', { array: true })
  amr: string[];

  @Column('text', { nullable: true })
  ipAddress: string | null;

  @Column('text', { nullable: true })
  userAgent: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  lastSeenAt: Date;

  /** The session ends at this time in any case. */
  @Column('timestamptz')
  expiresAt: Date;

  @Column('timestamptz', { nullable: true })
  endedAt: Date | null;
}
