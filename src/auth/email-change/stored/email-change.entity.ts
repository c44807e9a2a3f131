import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { User } from '../../../users/user.entity.js';

/**
 * A change of a user's e-mail address: open until its code is entered or it is cancelled. Afterwards it is kept as long
 * as the links in its mails are valid.
 */
@Entity('email_changes')
@Unique('uq_email_changes_stop', ['stopHash'])
@Unique('uq_email_changes_undo', ['undoHash'])
@Index('uq_email_changes_cancelled_stop', ['cancelledStopHash'], { unique: true })
@Index('ix_email_changes_user', ['userId'])
@Index('uq_email_changes_waiting', ['userId'], {
  unique: true,
  where: 'completed_at IS NULL AND cancelled_at IS NULL',
})
@Index('ix_email_changes_stoppable', ['stoppableUntil'])
@Check('ck_email_changes_tries', 'tries >= 0')
export class EmailChange {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_email_changes' })
  id: string;

  @ForeignKey(() => User, { name: 'fk_email_changes_user', onDelete: 'CASCADE' })
  @Column('uuid')
  userId: string;

  /** Both addresses are stored as typed. */
  @Column('text')
  oldEmail: string;

  @Column('text')
  newEmail: string;

  /** SHA-256 of the change's id and the code that was mailed to the new address. */
  @Column('bytea')
  codeHash: Buffer;

  /** Number of wrong codes entered. */
  @Column('integer', { default: 0 })
  tries: number;

  /**
   * The user's version when the change was requested. A new password or second factor, or signing out everywhere,
   * invalidates the change.
   */
  @Column('integer')
  credentialsVersion: number;

  /**
   * SHA-256 of the token in the notice to the old address; null: the old address was not verified, or the change is
   * cancelled.
   */
  @Column('bytea', { nullable: true })
  stopHash: Buffer | null;

  /** The same of a cancelled change. */
  @Column('bytea', { nullable: true })
  cancelledStopHash: Buffer | null;

  /** The same for the notice after the change; null also before it. */
  @Column('bytea', { nullable: true })
  undoHash: Buffer | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  /** Time until which the code is accepted. */
  @Column('timestamptz')
  expiresAt: Date;

  @Column('timestamptz', { nullable: true })
  completedAt: Date | null;

  /** Time when the user cancelled it, requested another change, or entered too many wrong codes. */
  @Column('timestamptz', { nullable: true })
  cancelledAt: Date | null;

  /** Time until which the old address can stop or undo the change. */
  @Column('timestamptz')
  stoppableUntil: Date;
}
