import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import { NIL_UUID } from '../../common/validation/nil-uuid.js';
import type { Measure, ScopedCount } from '../../common/statistics/daily-measure.js';
import type { Unit } from './buckets.rules.js';
import { DailyStatistic } from './daily-statistic.entity.js';

/** Before this time there is nothing to count. Uses indexes. */
const FIRST_DATA = `least((SELECT min(created_at) FROM audit_entries), (SELECT min(created_at) FROM tenants))`;

/** Scope id of the total. */
export const TOTAL_SCOPE = NIL_UUID;

/** The times have the precision of `Date.toISOString()`. */
const UNITS = {
  day: {
    table: 'daily_statistics',
    type: 'date',
    first: `(${FIRST_DATA} AT TIME ZONE 'UTC')::date`,
    text: (day: string) => `to_char(${day}, 'YYYY-MM-DD')`,
  },
  hour: {
    table: 'hourly_statistics',
    type: 'timestamptz',
    first: `date_trunc('hour', ${FIRST_DATA}, 'UTC')`,
    text: (hour: string) => `to_char(${hour} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  },
} as const;

/** Uses the primary key. */
export function seriesQuery(unit: Unit): string {
  const { table, type, text } = UNITS[unit];
  return `SELECT ${text(unit)} AS start, measure, sum(count)::int AS count FROM ${table}
    WHERE scope_id = ANY($1::uuid[]) AND ${unit} >= $2::${type} GROUP BY ${unit}, measure`;
}

export interface CountedBucket {
  readonly start: string;
  readonly measure: string;
  readonly count: number;
}

@Injectable()
export class StatisticsRepository {
  constructor(@InjectRepository(DailyStatistic) private readonly rows: Repository<DailyStatistic>) {}

  /** The newest day or hour for which the measure was counted; if it never was, the first with data. */
  async lastCounted(unit: Unit, measure: Measure): Promise<string | null> {
    const { table, first, text } = UNITS[unit];
    const [found] = await this.rows.query<{ start: string | null }[]>(
      `SELECT ${text(`coalesce(max(${unit}), ${first})`)} AS start FROM ${table} WHERE scope_id = $1 AND measure = $2`,
      [TOTAL_SCOPE, measure],
    );
    return found!.start;
  }

  /** Numbers never decrease, although users are deleted and old tokens are purged. */
  async save(
    tx: EntityManager,
    unit: Unit,
    start: string,
    measure: Measure,
    counts: readonly ScopedCount[],
  ): Promise<void> {
    const { table, type } = UNITS[unit];
    await tx.query(
      `INSERT INTO ${table} (scope_id, ${unit}, measure, count)
       SELECT counted.scope_id, $1::${type}, $2, counted.count
         FROM unnest($3::uuid[], $4::int[]) AS counted (scope_id, count)
       ON CONFLICT ON CONSTRAINT pk_${table} DO UPDATE SET count = EXCLUDED.count
         WHERE ${table}.count < EXCLUDED.count`,
      [start, measure, counts.map(({ scopeId }) => scopeId ?? TOTAL_SCOPE), counts.map(({ count }) => count)],
    );
  }

  /** Sums over the scopes, beginning with the day or hour. */
  read(unit: Unit, scopeIds: readonly string[], from: string): Promise<CountedBucket[]> {
    return this.rows.query(seriesQuery(unit), [scopeIds, from]);
  }

  async removeHours(tx: EntityManager, before: string): Promise<void> {
    await tx.query('DELETE FROM hourly_statistics WHERE hour < $1', [before]);
  }
}
