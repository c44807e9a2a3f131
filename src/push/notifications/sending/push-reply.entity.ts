import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { App } from '../../../apps/app/app.entity.js';

/** The answer to a request with an Idempotency-Key: the same request within a day gets it again. */
@Entity('push_replies')
@Index('ix_push_replies_created', ['createdAt'])
export class PushReply {
  @ForeignKey(() => App, { name: 'fk_push_replies_app', onDelete: 'CASCADE' })
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_push_replies' })
  appId: string;

  @PrimaryColumn('bytea', { primaryKeyConstraintName: 'pk_push_replies' })
  keyHash: Buffer;

  @Column('bytea')
  requestHash: Buffer;

  @Column('jsonb', { nullable: true })
  reply: Record<string, unknown> | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;
}
