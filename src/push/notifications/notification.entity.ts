import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { App } from '../../apps/app/app.entity.js';
import { User } from '../../users/user.entity.js';

export type NotificationStatus = 'queued' | 'sent' | 'partial' | 'failed' | 'no_devices' | 'expired';

/** A notification to one user, on all their devices of an app. */
@Entity('notifications')
@Index('ix_notifications_app', ['appId', 'createdAt', 'id'])
@Index('ix_notifications_status', ['appId', 'status', 'createdAt', 'id'])
@Index('ix_notifications_user', ['userId'])
@Index('ix_notifications_completed', ['completedAt'], { where: 'completed_at IS NOT NULL' })
@Check('ck_notifications_status', "status IN ('queued', 'sent', 'partial', 'failed', 'no_devices', 'expired')")
export class Notification {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_notifications' })
  id: string;

  @ForeignKey(() => App, { name: 'fk_notifications_app', onDelete: 'CASCADE' })
  @Column('uuid')
  appId: string;

  @ForeignKey(() => User, { name: 'fk_notifications_user', onDelete: 'CASCADE' })
  @Column('uuid')
  userId: string;

  @Column('text')
  title: string;

  @Column('text')
  body: string;

  @Column('jsonb', { nullable: true })
  data: Record<string, unknown> | null;

  /** Seconds. */
  @Column('integer')
  ttl: number;

  @Column('text', { default: 'queued' })
  status: NotificationStatus;

  @Column('integer', { default: 0 })
  deviceCount: number;

  @Column('integer', { default: 0 })
  deliveredCount: number;

  @Column('integer', { default: 0 })
  failedCount: number;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  /** `createdAt` plus `ttl`: nothing is sent after this time. */
  @Column('timestamptz')
  expiresAt: Date;

  @Column('timestamptz', { nullable: true })
  completedAt: Date | null;
}
