import type { EntityManager } from 'typeorm';

/** What is counted day by day (UTC), for the charts of the console. */
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
  /** Id of an app or a tenant; null: everything together. */
  readonly scopeId: string | null;
  readonly count: number;
}

/**
 * Counts one thing over a span of time, once for each app, once for each tenant and once for all. The module that owns
 * the table extends this and provides it; it is found by its type. A measure without a class stays 0.
 */
export abstract class DailyMeasure {
  abstract readonly measure: Measure;

  /** From `from` up to, not including, `to`. */
  abstract count(tx: EntityManager, from: Date, to: Date): Promise<ScopedCount[]>;
}

/**
 * The head and the end of a statement that counts by app, by tenant and altogether in one go; rows without an app (an
 * unknown address, say) count only if they belong to something.
 * @param app expressions over the tables that stand between the two
 */
export function byScope(app: string, tenant: string): { readonly scopeId: string; readonly grouping: string } {
  return {
    scopeId: `CASE WHEN grouping(${app}) = 0 THEN ${app} WHEN grouping(${tenant}) = 0 THEN ${tenant} END AS "scopeId"`,
    grouping: `GROUP BY GROUPING SETS ((${app}), (${tenant}), ())
      HAVING (grouping(${app}) = 1 OR ${app} IS NOT NULL) AND (grouping(${tenant}) = 1 OR ${tenant} IS NOT NULL)`,
  };
}
