import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { App } from '../../apps/app/app.entity.js';

export const DEFAULT_DAILY_QUOTA = 1000;

/** An app's push settings; whether push is enabled is in `apps.push_enabled`. */
@Entity('push_settings')
@Check('ck_push_settings_quota', 'daily_quota >= 0')
export class PushSettings {
  @ForeignKey(() => App, { name: 'fk_push_settings_app', onDelete: 'CASCADE' })
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_push_settings' })
  appId: string;

  @Column('text', { nullable: true })
  webhookUrl: string | null;

  /** `whsec_…`, encrypted; created when push is first enabled. */
  @Column('text', { nullable: true })
  sealedWebhookSecret: string | null;

  /** The secret before the last rotation, encrypted. It also signs for a day, so that receivers have time to change. */
  @Column('text', { nullable: true })
  sealedPreviousWebhookSecret: string | null;

  @Column('timestamptz', { nullable: true })
  previousWebhookSecretUntil: Date | null;

  /** The receiver answered 410: nothing is sent until the address is set again. */
  @Column('timestamptz', { nullable: true })
  webhookDisabledAt: Date | null;

  /** When the administrators got a notice of a failed message; null again after a message was received. */
  @Column('timestamptz', { nullable: true })
  webhookFailureToldAt: Date | null;

  /** Notifications per UTC day, counted per user that they go to. */
  @Column('integer', { default: DEFAULT_DAILY_QUOTA })
  dailyQuota: number;

  /** Firebase service account (JSON), encrypted; null: the platform's. */
  @Column('text', { nullable: true })
  sealedFcmAccount: string | null;

  /** RFC 8292, base64url of the uncompressed point. */
  @Column('text', { nullable: true })
  vapidPublicKey: string | null;

  @Column('text', { nullable: true })
  sealedVapidPrivateKey: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;
}
