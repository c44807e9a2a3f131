import type { EntityManager } from 'typeorm';

/** Daily counts (UTC) for the charts of the console. */
export const MEASURES = [
  'sign_ins',
  'passkey_sign_ins',
  'failures',
  'active_users',
  'tokens_issued',
  'pushes',
] as const;
export type Measure = (typeof MEASURES)[number];

export interface ScopedCount {
  /** Id of an app or a tenant; null: total. */
  readonly scopeId: string | null;
  readonly count: number;
}

/**
 * Counts one measure over a span of time, for each app, for each tenant and in total. The module that owns the table
 * extends this class and provides it; it is found by its type. A measure without a class stays 0.
 */
export abstract class DailyMeasure {
  abstract readonly measure: Measure;
  /** False: the table knows only the day, so hours have no numbers. */
  readonly hasHours: boolean = true;

  /** From `from`, inclusive, to `to`, exclusive. */
  abstract count(tx: EntityManager, from: Date, to: Date): Promise<ScopedCount[]>;
}

/**
 * The start and end of a statement that counts by app, by tenant and in total at once. Rows without an app (for example
 * for an unknown address) count only for the tenant and the total.
 * @param app expression over the tables of the statement
 */
export function byScope(app: string, tenant: string): { readonly scopeId: string; readonly grouping: string } {
  return {
    scopeId: `CASE WHEN grouping(${app}) = 0 THEN ${app} WHEN grouping(${tenant}) = 0 THEN ${tenant} END AS "scopeId"`,
    grouping: `GROUP BY GROUPING SETS ((${app}), (${tenant}), ())
      HAVING (grouping(${app}) = 1 OR ${app} IS NOT NULL) AND (grouping(${tenant}) = 1 OR ${tenant} IS NOT NULL)`,
  };
}
