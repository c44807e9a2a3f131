import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { App } from '../../apps/app/app.entity.js';

/** Mails to an app's administrators about requests for access, and when the next digest is due. */
@Entity('request_notices')
@Index('ix_request_notices_due', ['digestDueAt'], { where: 'digest_due_at IS NOT NULL' })
@Check('ck_request_notices_mailed', 'mailed >= 0')
export class RequestNotice {
  @ForeignKey(() => App, { name: 'fk_request_notices_app', onDelete: 'CASCADE' })
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_request_notices' })
  appId: string;

  /** Start of the period in which mails are counted. */
  @Column('timestamptz', { default: () => 'now()' })
  windowBeganAt: Date;

  /** Requests of this period that were mailed immediately. */
  @Column('integer', { default: 0 })
  mailed: number;

  /** Null: no digest is due. */
  @Column('timestamptz', { nullable: true })
  digestDueAt: Date | null;
}
