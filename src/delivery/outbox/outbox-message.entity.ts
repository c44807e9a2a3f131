import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { QueueName } from '../queues/queues.js';

/** A job, written in the transaction that needs it, and its result. */
@Entity('outbox_messages')
@Index('ix_outbox_messages_queue', ['queue', 'availableAt'], { where: 'done_at IS NULL AND dead_at IS NULL' })
@Index('ix_outbox_messages_group', ['queue', 'groupKey', 'availableAt'], {
  where: 'done_at IS NULL AND dead_at IS NULL',
})
@Index('ix_outbox_messages_done', ['doneAt'], { where: 'done_at IS NOT NULL' })
@Index('ix_outbox_messages_dead', ['deadAt', 'id'], { where: 'dead_at IS NOT NULL' })
@Check('ck_outbox_messages_attempts', 'attempts >= 0 AND max_attempts >= 1')
@Check('ck_outbox_messages_outcome', 'done_at IS NULL OR dead_at IS NULL')
export class OutboxMessage {
  /** Also the id of the Bull job, and the idempotency key of repeated deliveries. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_outbox_messages' })
  id: string;

  /** The queue whose processor runs it. */
  @Column('text', { default: 'tasks' })
  queue: QueueName;

  /** Group of the job; groups take turns. Id of a tenant, or of a tenant and its app; empty: the service itself. */
  @Column('text', { default: '' })
  groupKey: string;

  @Column('text')
  job: string;

  /** Emptied when the job is done. */
  @Column('jsonb')
  payload: unknown;

  /**
   * Number of attempts that were started. Counted when the job is claimed, so that a job that crashes its process is
   * retried a limited number of times.
   */
  @Column('integer', { default: 0 })
  attempts: number;

  @Column('integer')
  maxAttempts: number;

  @Column('timestamptz', { default: () => 'now()' })
  availableAt: Date;

  /** After this time the job is not run any more (for example, because a mailed link has expired). */
  @Column('timestamptz', { nullable: true })
  expiresAt: Date | null;

  /** Lease of the process that runs it. When it has expired, another process may claim the row. */
  @Column('timestamptz', { nullable: true })
  lockedUntil: Date | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { nullable: true })
  doneAt: Date | null;

  @Column('timestamptz', { nullable: true })
  deadAt: Date | null;

  @Column('text', { nullable: true })
  lastError: string | null;
}
