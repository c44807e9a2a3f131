import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import { NIL_UUID } from '../../common/validation/nil-uuid.js';
import type { Measure, ScopedCount } from '../../common/statistics/daily-measure.js';
import { DailyStatistic } from './daily-statistic.entity.js';

/** Before this time there is nothing to count. Uses indexes. */
const FIRST_DATA = `least((SELECT min(created_at) FROM audit_entries), (SELECT min(created_at) FROM tenants))`;

/** Scope id of the total. */
export const TOTAL_SCOPE = NIL_UUID;

/** Uses the primary key. */
export const READ_SERIES = `SELECT to_char(day, 'YYYY-MM-DD') AS start, measure, sum(count)::int AS count FROM daily_statistics
  WHERE scope_id = ANY($1::uuid[]) AND day >= $2::date GROUP BY day, measure`;

/** Uses the primary key. The times have the precision of `Date.toISOString()`. */
const READ_HOURS = `SELECT to_char(hour AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS start, measure, sum(count)::int AS count
  FROM hourly_statistics WHERE scope_id = ANY($1::uuid[]) AND hour >= $2 GROUP BY hour, measure`;

export interface CountedBucket {
  readonly start: string;
  readonly measure: string;
  readonly count: number;
}

@Injectable()
export class StatisticsRepository {
  constructor(@InjectRepository(DailyStatistic) private readonly rows: Repository<DailyStatistic>) {}

  /** The newest day for which the measure was counted; if it never was, the first day with data. */
  async lastCounted(measure: Measure): Promise<string | null> {
    const [found] = await this.rows.query<{ day: string | null }[]>(
      `SELECT to_char(coalesce(max(day), (${FIRST_DATA} AT TIME ZONE 'UTC')::date), 'YYYY-MM-DD') AS day
       FROM daily_statistics WHERE scope_id = $1 AND measure = $2`,
      [TOTAL_SCOPE, measure],
    );
    return found!.day;
  }

  /** Numbers never decrease, although users are deleted and old tokens are purged. */
  async save(tx: EntityManager, day: string, measure: Measure, counts: readonly ScopedCount[]): Promise<void> {
    await tx.query(
      `INSERT INTO daily_statistics (scope_id, day, measure, count)
       SELECT counted.scope_id, $1::date, $2, counted.count FROM unnest($3::uuid[], $4::int[]) AS counted (scope_id, count)
       ON CONFLICT ON CONSTRAINT pk_daily_statistics DO UPDATE SET count = EXCLUDED.count
         WHERE daily_statistics.count < EXCLUDED.count`,
      [day, measure, counts.map(({ scopeId }) => scopeId ?? TOTAL_SCOPE), counts.map(({ count }) => count)],
    );
  }

  /** Sums over the scopes, beginning with the day. */
  read(scopeIds: readonly string[], from: string): Promise<CountedBucket[]> {
    return this.rows.query(READ_SERIES, [scopeIds, from]);
  }

  /** As {@link lastCounted}, the start of an hour. */
  async lastCountedHour(measure: Measure): Promise<Date | null> {
    const [found] = await this.rows.query<{ hour: Date | null }[]>(
      `SELECT coalesce(max(hour), date_trunc('hour', ${FIRST_DATA}, 'UTC')) AS hour FROM hourly_statistics
       WHERE scope_id = $1 AND measure = $2`,
      [TOTAL_SCOPE, measure],
    );
    return found!.hour;
  }

  /** As {@link save}, for the hour with this start. */
  async saveHour(tx: EntityManager, hour: string, measure: Measure, counts: readonly ScopedCount[]): Promise<void> {
    await tx.query(
      `INSERT INTO hourly_statistics (scope_id, hour, measure, count)
       SELECT counted.scope_id, $1, $2, counted.count FROM unnest($3::uuid[], $4::int[]) AS counted (scope_id, count)
       ON CONFLICT ON CONSTRAINT pk_hourly_statistics DO UPDATE SET count = EXCLUDED.count
         WHERE hourly_statistics.count < EXCLUDED.count`,
      [hour, measure, counts.map(({ scopeId }) => scopeId ?? TOTAL_SCOPE), counts.map(({ count }) => count)],
    );
  }

  /** Sums over the scopes, beginning with the hour. */
  readHours(scopeIds: readonly string[], from: string): Promise<CountedBucket[]> {
    return this.rows.query(READ_HOURS, [scopeIds, from]);
  }

  async removeHours(tx: EntityManager, before: string): Promise<void> {
    await tx.query('DELETE FROM hourly_statistics WHERE hour < $1', [before]);
  }
}
