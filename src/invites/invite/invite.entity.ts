import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { App } from '../../apps/app/app.entity.js';
import { User } from '../../users/user.entity.js';

/** A code that enrolls each user who redeems it, until it is used up or revoked. */
@Entity('invites')
@Unique('uq_invites_code', ['codeHash'])
@Unique('uq_invites_mailed_code', ['mailedCodeHash'])
@Index('ix_invites_app', ['appId', 'createdAt', 'id'])
@Index('ix_invites_created', ['createdAt', 'id'])
@Index('ix_invites_email', ['emailCanonical'], { where: 'email_canonical IS NOT NULL' })
@Index('ix_invites_email_trigrams', { synchronize: false })
@Index('ix_invites_created_by', ['createdBy'])
@Index('ix_invites_expires', ['expiresAt'])
@Index('ix_invites_made_acting_by', ['madeActingBy'], { where: 'made_acting_by IS NOT NULL' })
@Check('ck_invites_uses', 'use_count >= 0 AND use_count <= max_uses')
@Check(
  'ck_invites_mailed',
  '(email IS NULL) = (email_canonical IS NULL) AND (email IS NULL) = (mailed_code_hash IS NULL)',
)
export class Invite {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_invites' })
  id: string;

  @ForeignKey(() => App, { name: 'fk_invites_app', onDelete: 'CASCADE' })
  @Column('uuid')
  appId: string;

  /** SHA-256 of the code that administrators see. */
  @Column('bytea')
  codeHash: Buffer;

  /** The same code, encrypted, so that administrators can see it again. */
  @Column('text')
  codeSealed: string;

  /** SHA-256 of the second code, which is only in the e-mail and proves access to its mailbox. */
  @Column('bytea', { nullable: true })
  mailedCodeHash: Buffer | null;

  @Column('text', { array: true })
  roles: string[];

  @Column('integer')
  maxUses: number;

  @Column('integer', { default: 0 })
  useCount: number;

  /** The recipient's address, as typed. The invite is valid for this address only. */
  @Column('text', { nullable: true })
  email: string | null;

  @Column('text', { nullable: true })
  emailCanonical: string | null;

  /** Null if a service token created the invite, or if its creator was deleted. */
  @ForeignKey(() => User, { name: 'fk_invites_created_by', onDelete: 'SET NULL' })
  @Column('uuid', { nullable: true })
  createdBy: string | null;

  /** False for an invite of a service token, and for every invite from before this column. */
  @Column('boolean', { default: false })
  madeByUser: boolean;

  /**
   * The operator who created the invite in the console while impersonating a tenant or an app; null: without
   * impersonation. They can never redeem it, because an impersonation must not give a user permissions of their own.
   */
  @ForeignKey(() => User, { name: 'fk_invites_made_acting_by', onDelete: 'SET NULL' })
  @Column('uuid', { nullable: true })
  madeActingBy: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz')
  expiresAt: Date;
}
