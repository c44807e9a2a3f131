import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { App } from '../../apps/app/app.entity.js';
import { User } from '../../users/user.entity.js';

export type MailLinkPurpose = 'verify_email' | 'reset_password' | 'magic_link';

/** A one-time link that was sent by mail: using it proves access to that mailbox. */
@Entity('mail_links')
@Index('ix_mail_links_user', ['userId', 'purpose'])
@Index('ix_mail_links_expires', ['expiresAt'])
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

  /** The address that it was sent to: dead once the account has another. */
  @Column('text')
  emailCanonical: string;

  /** What the app asked for, where the link goes on to it; chosen when the link was asked for, never from the link. */
  @Column('jsonb', { nullable: true })
  request: Record<string, unknown> | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz')
  expiresAt: Date;

  @Column('timestamptz', { nullable: true })
  usedAt: Date | null;
}
