import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { App } from '../../apps/app/app.entity.js';
import type { Message } from './message.js';

/** Notifications for many users that were accepted in one request, until they are written (docs/decisions/0087). */
@Entity('notification_batches')
@Index('ix_notification_batches_app', ['appId', 'id'])
export class NotificationBatch {
  /** Ids of its notifications differ in the last three digits. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_notification_batches' })
  id: string;

  @ForeignKey(() => App, { name: 'fk_notification_batches_app', onDelete: 'CASCADE' })
  @Column('uuid')
  appId: string;

  @Column('uuid', { array: true })
  userIds: string[];

  /** One for all users, or one for each. */
  @Column('jsonb')
  messages: Message[];

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  /** Number of attempts to write it: more than one only after a failure. */
  @Column('int', { default: 0 })
  attempts: number;

  /** No worker takes it before this time; `infinity`: abandoned. */
  @Column('timestamptz', { default: () => 'now()' })
  nextAttemptAt: Date;
}
