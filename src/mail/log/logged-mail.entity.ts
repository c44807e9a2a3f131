import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { MailTemplate } from '../content/mail.js';

/**
 * `sent`: the mail server has accepted it. `bounced`: the mail server has permanently refused the address or the mail.
 * `over_limit`: it was not sent, because a limit of mails was reached.
 */
export const MAIL_STATES = ['queued', 'sent', 'bounced', 'given_up', 'over_limit'] as const;
export type MailState = (typeof MAIL_STATES)[number];

/**
 * A mail in the mail log: recipient, kind and delivery state, without content and links. Triggers on the outbox write
 * the state, so that it never differs from the job. The tables of its foreign keys belong to modules above this one and
 * are referenced by name.
 */
@Entity('mail_log')
@Index('ix_mail_log_created', ['createdAt', 'id'])
@Index('ix_mail_log_unsent', ['state', 'createdAt', 'id'], { where: "state <> 'sent'" })
@Index('ix_mail_log_tenant', ['tenantId', 'createdAt', 'id'], { where: 'tenant_id IS NOT NULL' })
@Index('ix_mail_log_app', ['appId', 'createdAt', 'id'], { where: 'app_id IS NOT NULL' })
@Index('ix_mail_log_user', ['userId', 'createdAt', 'id'], { where: 'user_id IS NOT NULL' })
@Index('ix_mail_log_invite', ['inviteId'], { where: 'invite_id IS NOT NULL' })
@Index('ix_mail_log_recipient', { synchronize: false })
@Index('ix_mail_log_recipient_trigrams', { synchronize: false })
@Check('ck_mail_log_state', "state IN ('queued', 'sent', 'bounced', 'given_up', 'over_limit')")
export class LoggedMail {
  /** Id of the outbox message, if there is one. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_mail_log' })
  id: string;

  /** A later version may have other templates. */
  @Column('text')
  template: MailTemplate;

  /** Address as it was mailed. */
  @Column('text')
  recipient: string;

  /** The user with this address; null: an invite, or a support address. */
  @ForeignKey('users', { name: 'fk_mail_log_user', onDelete: 'CASCADE' })
  @Column('uuid', { nullable: true })
  userId: string | null;

  /** The app in whose name it was sent; null: the service, or a notice that only platform admins see. */
  @ForeignKey('apps', { name: 'fk_mail_log_app', onDelete: 'CASCADE' })
  @Column('uuid', { nullable: true })
  appId: string | null;

  /** Tenant of the app, with which the row is deleted. */
  @Column('uuid', { nullable: true })
  tenantId: string | null;

  /** The invite in the mail. */
  @ForeignKey('invites', { name: 'fk_mail_log_invite', onDelete: 'CASCADE' })
  @Column('uuid', { nullable: true })
  inviteId: string | null;

  @Column('text', { default: 'queued' })
  state: MailState;

  /** The reply of the mail server if it permanently refused the address or the mail (RFC 5321 section 4.2.1). */
  @Column('integer', { nullable: true })
  smtpStatus: number | null;

  /** When it was queued. */
  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  /** When it was sent, bounced, given up or refused by a limit. */
  @Column('timestamptz', { nullable: true })
  endedAt: Date | null;
}
