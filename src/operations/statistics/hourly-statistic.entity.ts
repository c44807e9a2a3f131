import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A number for one hour, as in {@link DailyStatistic}; kept for a few days only. */
@Entity('hourly_statistics')
@Check('ck_hourly_statistics_count', 'count >= 0')
@Index('ix_hourly_statistics_hour', ['hour'])
export class HourlyStatistic {
  /** Id of an app or a tenant; the nil UUID for the total. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_hourly_statistics' })
  scopeId: string;

  /** Start of the hour. */
  @PrimaryColumn('timestamptz', { primaryKeyConstraintName: 'pk_hourly_statistics' })
  hour: Date;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_hourly_statistics' })
  measure: string;

  @Column('integer')
  count: number;
}
