import type { Statements } from './statements.js';

/**
 * Rows per statement. Without a limit, a purge with a large backlog would exceed the statement timeout and never catch
 * up.
 */
const BATCH = 5_000;

export interface Purge {
  readonly table: string;
  /** The time that counts. A column with an index, except in small tables. */
  readonly column: string;
  /** PostgreSQL interval: rows with an earlier time than this long ago are deleted. */
  readonly age: string;
  /** SQL condition that the rows meet as well. */
  readonly where?: string;
  /** Rows per statement: fewer if other rows are deleted with each. */
  readonly batch?: number;
}

/**
 * Deletes rows in batches, oldest first, until none is left. Each statement continues where the one before ended;
 * starting over, it would scan all rows that were just deleted. A row that was changed in the meantime stays if it does
 * not meet the conditions any more.
 */
export async function purgeInBatches(statements: Statements, purge: Purge): Promise<void> {
  const { table, column, age, where = 'true', batch = BATCH } = purge;
  const due = `${column} < now() - $2::interval AND ${where}`;
  const text = `WITH old AS MATERIALIZED (
      SELECT ctid, ${column} AS since FROM ${table} WHERE ${column} >= $1::timestamptz AND ${due}
      ORDER BY ${column} LIMIT ${batch}),
    gone AS (DELETE FROM ${table} WHERE ctid = ANY(ARRAY(SELECT ctid FROM old)) AND ${due})
    SELECT count(*)::int AS count, max(since)::text AS last FROM old`;
  let from = '-infinity';
  for (let count = batch; count === batch;) {
    const [done] = await statements.run<Done>({ name: `purge.${table}.${column}`, text }, [from, age]);
    count = done!.count;
    from = done!.last ?? from;
  }
}

interface Done extends Record<string, unknown> {
  readonly count: number;
  /** As PostgreSQL prints it, with microsecond precision. */
  readonly last: string | null;
}
