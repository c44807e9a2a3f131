import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { App } from '../../apps/app/app.entity.js';

/** How much of its daily quota an app has used. */
@Entity('push_usage')
export class PushUsage {
  @ForeignKey(() => App, { name: 'fk_push_usage_app', onDelete: 'CASCADE' })
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_push_usage' })
  appId: string;

  /** UTC. */
  @PrimaryColumn('date', { primaryKeyConstraintName: 'pk_push_usage' })
  day: string;

  @Column('integer')
  used: number;
}
