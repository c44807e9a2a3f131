import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { SsoSession } from '../../auth/session/sso-session.entity.js';
import { User } from '../../users/user.entity.js';

/**
 * An operator's session in the console, with a separate cookie. Ends after one hour without a request, and after twelve
 * hours at most.
 */
@Entity('console_sessions')
@Unique('uq_console_sessions_token', ['tokenHash'])
@Index('ix_console_sessions_user', ['userId'])
@Index('ix_console_sessions_sso_session', ['ssoSessionId'])
@Index('ix_console_sessions_expires', ['expiresAt'])
@Check(
  'ck_console_sessions_impersonation',
  `num_nulls(impersonated_type, impersonated_id, impersonated_name, impersonation_reason, impersonation_until) IN (0, 5)
          AND (impersonated_type IS NULL OR impersonated_type IN ('tenant', 'app'))`,
)
export class ConsoleSession {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_console_sessions' })
  id: string;

  /** SHA-256 of the cookie's value, which changes when an impersonation begins or ends. */
  @Column('bytea')
  tokenHash: Buffer;

  @ForeignKey(() => User, { name: 'fk_console_sessions_user', onDelete: 'CASCADE' })
  @Column('uuid')
  userId: string;

  /**
   * The browser's SSO session from which it began, and with which it ends. Null only in rows of an earlier version,
   * which are invalid.
   */
  @ForeignKey(() => SsoSession, { name: 'fk_console_sessions_sso_session', onDelete: 'CASCADE' })
  @Column('uuid', { nullable: true })
  ssoSessionId: string | null;

  @Column('text', { array: true })
  amr: string[];

  /** When the user last authenticated; null: unknown. */
  @Column('timestamptz', { nullable: true })
  authTime: Date | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  lastSeenAt: Date;

  /** The maximum lifetime ends. */
  @Column('timestamptz')
  expiresAt: Date;

  @Column('timestamptz', { nullable: true })
  endedAt: Date | null;

  /** Message for the next page. */
  @Column('jsonb', { nullable: true })
  flash: Flash | null;

  @Column('text', { nullable: true })
  impersonatedType: 'tenant' | 'app' | null;

  @Column('uuid', { nullable: true })
  impersonatedId: string | null;

  @Column('text', { nullable: true })
  impersonatedName: string | null;

  @Column('text', { nullable: true })
  impersonationReason: string | null;

  @Column('timestamptz', { nullable: true })
  impersonationUntil: Date | null;
}

export interface Flash {
  readonly kind: 'done' | 'warning';
  readonly text: string;
}
