import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** A number for one day, for an app, for a tenant or in total. No foreign keys, because numbers of the past remain. */
@Entity('daily_statistics')
@Check('ck_daily_statistics_count', 'count >= 0')
export class DailyStatistic {
  /** Id of an app or a tenant; the nil UUID for the total. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_daily_statistics' })
  scopeId: string;

  /** In UTC. */
  @PrimaryColumn('date', { primaryKeyConstraintName: 'pk_daily_statistics' })
  day: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_daily_statistics' })
  measure: string;

  @Column('integer')
  count: number;
}
