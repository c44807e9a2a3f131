import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { App } from '../../apps/app/app.entity.js';
import { User } from '../../users/user.entity.js';

export type MailLinkPurpose = 'verify_email' | 'reset_password' | 'magic_link';

/**
 * A one-time link that is sent by mail or passed on by an operator. Using it counts as a proof of access to the
 * mailbox.
 */
@Entity('mail_links')
@Index('ix_mail_links_user', ['userId', 'purpose'])
@Index('ix_mail_links_expires', ['expiresAt'])
@Index('ix_mail_links_app', ['appId'], { where: 'app_id IS NOT NULL' })
@Check('ck_mail_links_purpose', "purpose IN ('verify_email', 'reset_password', 'magic_link')")
export class MailLink {
  /** SHA-256 of the token in the link. */
  @PrimaryColumn('bytea', { primaryKeyConstraintName: 'pk_mail_links' })
  tokenHash: Buffer;

  @Column('text')
  purpose: MailLinkPurpose;

  @ForeignKey(() => User, { name: 'fk_mail_links_user', onDelete: 'CASCADE' })
  @Column('uuid')
  userId: string;

  @ForeignKey(() => App, { name: 'fk_mail_links_app', onDelete: 'CASCADE' })
  @Column('uuid', { nullable: true })
  appId: string | null;

  /** The address that the link was sent to. The link is invalid once the account has another address. */
  @Column('text')
  emailCanonical: string;

  /**
   * The version of the user's credentials when the link was made: a sign-in link or reset link is invalid once passwords,
   * second factors or sign-ins have been changed or ended. Null in links from before this column existed.
   */
  @Column('integer', { nullable: true })
  credentialsVersion: number | null;

  /**
   * The app's authorization request that continues after a sign-in link, or the sign-in in which a reset link was
   * requested. Stored when the link is requested and never read from the link, so it cannot be changed.
   */
  @Column('jsonb', { nullable: true })
  request: Record<string, unknown> | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz')
  expiresAt: Date;

  @Column('timestamptz', { nullable: true })
  usedAt: Date | null;
}
