import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { App } from '../../../../apps/app/app.entity.js';
import { User } from '../../../../users/user.entity.js';

/**
 * A JSON sign-in that waits for its second factor, identified by the `jti` of a totp_session. Valid for five minutes
 * and one use.
 */
@Entity('totp_challenges')
@Index('ix_totp_challenges_expires', ['expiresAt'])
@Index('ix_totp_challenges_user', ['userId'])
@Index('ix_totp_challenges_app', ['appId'])
export class TotpChallenge {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_totp_challenges' })
  id: string;

  @ForeignKey(() => User, { name: 'fk_totp_challenges_user', onDelete: 'CASCADE' })
  @Column('uuid')
  userId: string;

  @ForeignKey(() => App, { name: 'fk_totp_challenges_app', onDelete: 'CASCADE' })
  @Column('uuid')
  appId: string;

  @Column('text', { nullable: true })
  deviceId: string | null;

  @Column('timestamptz')
  authTime: Date;

  @Column('text', { array: true })
  amr: string[];

  /** Number of wrong codes and of those being verified: each is counted first. Five end it. */
  @Column('integer', { default: 0 })
  failures: number;

  /** Version of the account's credentials at the first factor. */
  @Column('integer', { default: 1 })
  credentialsVersion: number;

  /** The first factor was given to the app, so the second does not make it a sign-in to the rest of the account. */
  @Column('boolean', { default: false })
  beginsNoSession: boolean;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz')
  expiresAt: Date;

  @Column('timestamptz', { nullable: true })
  usedAt: Date | null;
}
