import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { User } from '../../users/user.entity.js';

/** A browser's sign-in with us, behind the SSO cookie. Idle 24 hours, 7 days at most. */
@Entity('sso_sessions')
@Unique('uq_sso_sessions_token', ['tokenHash'])
@Index('ix_sso_sessions_user', ['userId'])
@Index('ix_sso_sessions_expires', ['expiresAt'])
export class SsoSession {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_sso_sessions' })
  id: string;

  /** What apps know this browser's session by; a second sign-in of the same user goes on under it. Null: the id. */
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

  /** Absolute end. */
  @Column('timestamptz')
  expiresAt: Date;

  @Column('timestamptz', { nullable: true })
  endedAt: Date | null;
}
