import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A mail that the embedded mode captured, because there is no SMTP server. */
@Entity('captured_mails')
@Index('ix_captured_mails_created', ['createdAt'])
export class CapturedMail {
  /** Id of the outbox message, so that a repeated delivery appears once. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_captured_mails' })
  id: string;

  @Column('text')
  to: string;

  @Column('text')
  from: string;

  @Column('text')
  subject: string;

  @Column('text')
  text: string;

  @Column('text')
  html: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;
}
