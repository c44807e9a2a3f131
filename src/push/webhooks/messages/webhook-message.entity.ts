import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { App } from '../../../apps/app/app.entity.js';

export const WEBHOOK_STATUSES = ['queued', 'delivered', 'failed'] as const;
export type WebhookStatus = (typeof WEBHOOK_STATUSES)[number];

/** How one attempt ended. */
export interface WebhookAttempt {
  /** ISO 8601. */
  readonly at: string;
  /** HTTP status; null if there was no answer. */
  readonly status: number | null;
  /** One word; null if received. Never the text of the receiver. */
  readonly error: string | null;
}

/** A receipt for an app's webhook (Standard Webhooks): same id and body at every attempt. */
@Entity('webhook_messages')
@Index('ix_webhook_messages_app', ['appId', 'createdAt', 'id'])
@Index('ix_webhook_messages_status', ['appId', 'status', 'createdAt', 'id'])
@Index('ix_webhook_messages_due', ['appId', 'nextAttemptAt'], { where: "status = 'queued'" })
@Index('ix_webhook_messages_queued', ['nextAttemptAt'], { where: "status = 'queued'" })
@Index('ix_webhook_messages_completed', ['completedAt'], { where: 'completed_at IS NOT NULL' })
@Check('ck_webhook_messages_status', "status IN ('queued', 'delivered', 'failed')")
export class WebhookMessage {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_webhook_messages' })
  id: string;

  @ForeignKey(() => App, { name: 'fk_webhook_messages_app', onDelete: 'CASCADE' })
  @Column('uuid')
  appId: string;

  @Column('text')
  type: string;

  /** JSON as it is signed and sent. */
  @Column('text')
  body: string;

  @Column('text', { default: 'queued' })
  status: WebhookStatus;

  /**
   * Number of attempts that were started. Only the worker that claimed the row with this number can record the result.
   */
  @Column('integer', { default: 0 })
  attempts: number;

  /** Attempts before the last replay, after which the schedule starts again. */
  @Column('integer', { default: 0 })
  attemptsBefore: number;

  /** HTTP status of the last attempt; null if there was no answer. */
  @Column('integer', { nullable: true })
  lastStatus: number | null;

  @Column('text', { nullable: true })
  lastError: string | null;

  /** The last ones, oldest first. */
  @Column('jsonb', { default: () => "'[]'" })
  history: WebhookAttempt[];

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  /** During an attempt: the time after which it counts as lost. */
  @Column('timestamptz', { nullable: true })
  nextAttemptAt: Date | null;

  @Column('timestamptz', { nullable: true })
  completedAt: Date | null;
}
