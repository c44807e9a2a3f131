import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { App } from '../../apps/app/app.entity.js';
import { User } from '../../users/user.entity.js';

export const PLATFORMS = ['web', 'ios', 'android'] as const;
export type Platform = (typeof PLATFORMS)[number];

/** An installation of an app that receives notifications for the user who signed in there last. */
@Entity('push_devices')
@Unique('uq_push_devices_token', ['appId', 'tokenHash'])
@Index('ix_push_devices_user', ['userId', 'appId'])
@Index('ix_push_devices_last_seen', ['lastSeenAt'])
@Index('ix_push_devices_app', ['appId', 'lastSeenAt', 'id'])
@Index('ix_push_devices_silent', ['appId', 'silentHost', 'silentUntil'], { where: 'silent_until IS NOT NULL' })
@Check('ck_push_devices_platform', "platform IN ('web', 'ios', 'android')")
export class PushDevice {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_push_devices' })
  id: string;

  @ForeignKey(() => App, { name: 'fk_push_devices_app', onDelete: 'CASCADE' })
  @Column('uuid')
  appId: string;

  @ForeignKey(() => User, { name: 'fk_push_devices_user', onDelete: 'CASCADE' })
  @Column('uuid')
  userId: string;

  @Column('text')
  platform: Platform;

  /** SHA-256 of the push token: one row per app and token. */
  @Column('bytea')
  tokenHash: Buffer;

  /** The token itself (FCM registration token or web-push subscription), for delivery; never returned. */
  @Column('text')
  sealedToken: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  lastSeenAt: Date;

  /** Consecutive attempts without an answer, for a server that the browser chose (docs/decisions/0097). */
  @Column('integer', { default: 0 })
  unanswered: number;

  /** The device is paused: nothing is sent before this time, and then one notification at a time. Null: it answers. */
  @Column('timestamptz', { nullable: true })
  silentUntil: Date | null;

  /** The last server without an answer, as in the endpoint. */
  @Column('text', { nullable: true })
  silentHost: string | null;
}
