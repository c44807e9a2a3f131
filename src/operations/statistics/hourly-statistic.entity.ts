import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** One number of one hour, as in {@link DailyStatistic}; kept for a few days only. */
@Entity('hourly_statistics')
@Check('ck_hourly_statistics_count', 'count >= 0')
@Index('ix_hourly_statistics_hour', ['hour'])
export class HourlyStatistic {
  /** Of an app or a tenant; the nil UUID means all together. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_hourly_statistics' })
  scopeId: string;

  /** When the hour begins. */
  @PrimaryColumn('timestamptz', { primaryKeyConstraintName: 'pk_hourly_statistics' })
  hour: Date;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_hourly_statistics' })
  measure: string;

  @Column('integer')
  count: number;
}
