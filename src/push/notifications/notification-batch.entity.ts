import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { App } from '../../apps/app/app.entity.js';
import type { Message } from './message.js';

/** What was accepted for many users in one request, until its notifications are written (docs/decisions/0087). */
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

  /** How often a worker has begun to write it: more than once only if it failed. */
  @Column('int', { default: 0 })
  attempts: number;

  /** No worker takes it before; `infinity`: it was given up. */
  @Column('timestamptz', { default: () => 'now()' })
  nextAttemptAt: Date;
}
