import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { User } from '../../../users/user.entity.js';

/** A change of a user's e-mail address: open until its code is entered, and afterwards kept while it can be undone. */
@Entity('email_changes')
@Unique('uq_email_changes_stop', ['stopHash'])
@Unique('uq_email_changes_undo', ['undoHash'])
@Index('ix_email_changes_user', ['userId'])
@Index('uq_email_changes_open', ['userId'], { unique: true, where: 'completed_at IS NULL' })
@Index('ix_email_changes_stoppable', ['stoppableUntil'])
@Check('ck_email_changes_tries', 'tries >= 0')
export class EmailChange {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_email_changes' })
  id: string;

  @ForeignKey(() => User, { name: 'fk_email_changes_user', onDelete: 'CASCADE' })
  @Column('uuid')
  userId: string;

  /** As typed, both. */
  @Column('text')
  oldEmail: string;

  @Column('text')
  newEmail: string;

  /** SHA-256 of id and code: the code went to the new address. */
  @Column('bytea')
  codeHash: Buffer;

  /** Wrong codes. */
  @Column('integer', { default: 0 })
  tries: number;

  /** Of the user when it was asked for: a new password or second factor, or signing out everywhere, ends it. */
  @Column('integer')
  credentialsVersion: number;

  /** SHA-256 of the token in the notice to the old address; null: the old address was not verified. */
  @Column('bytea', { nullable: true })
  stopHash: Buffer | null;

  /** The same for the notice after the change. */
  @Column('bytea', { nullable: true })
  undoHash: Buffer | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  /** Until when the code counts. */
  @Column('timestamptz')
  expiresAt: Date;

  @Column('timestamptz', { nullable: true })
  completedAt: Date | null;

  /** Until when the old address can stop or undo it. */
  @Column('timestamptz')
  stoppableUntil: Date;
}
