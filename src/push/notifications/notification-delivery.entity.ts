import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { Platform } from '../devices/push-device.entity.js';
import { Notification } from './notification.entity.js';

export type DeliveryStatus = 'queued' | 'delivered' | 'failed' | 'expired';

/** One notification on one device. No foreign key to the device: the outcome is reported even after the device was removed. */
@Entity('notification_deliveries')
@Unique('uq_notification_deliveries_device', ['notificationId', 'deviceId'])
@Index('ix_notification_deliveries_due', ['appId', 'nextAttemptAt'], { where: "status = 'queued'" })
@Index('ix_notification_deliveries_first', ['appId', 'nextAttemptAt'], {
  where: "status = 'queued' AND attempts = 0",
})
@Check('ck_notification_deliveries_status', "status IN ('queued', 'delivered', 'failed', 'expired')")
export class NotificationDelivery {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_notification_deliveries' })
  id: string;

  @ForeignKey(() => Notification, { name: 'fk_notification_deliveries_notification', onDelete: 'CASCADE' })
  @Column('uuid')
  notificationId: string;

  @Column('uuid')
  appId: string;

  @Column('uuid')
  deviceId: string;

  @Column('text')
  platform: Platform;

  @Column('text', { default: 'queued' })
  status: DeliveryStatus;

  @Column('integer', { default: 0 })
  attempts: number;

  @Column('timestamptz', { default: () => 'now()' })
  nextAttemptAt: Date;

  /** One word for the app: `not_configured`, `unregistered`, `user_not_enrolled`, `rejected`, … */
  @Column('text', { nullable: true })
  error: string | null;

  @Column('timestamptz', { nullable: true })
  completedAt: Date | null;
}
