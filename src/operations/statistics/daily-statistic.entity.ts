import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** One number of one day, for an app, a tenant or all together. No foreign keys: numbers of the past stay. */
@Entity('daily_statistics')
@Check('ck_daily_statistics_count', 'count >= 0')
export class DailyStatistic {
  /** Of an app or a tenant; the nil UUID means all together. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_daily_statistics' })
  scopeId: string;

  /** UTC. */
  @PrimaryColumn('date', { primaryKeyConstraintName: 'pk_daily_statistics' })
  day: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_daily_statistics' })
  measure: string;

  @Column('integer')
  count: number;
}
