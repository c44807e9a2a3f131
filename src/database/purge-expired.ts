import type { Statements } from './statements.js';

/** Rows per statement: a purge that has fallen behind must not run into the time limit of one, or it never catches up. */
const BATCH = 5_000;

/**
 * Deletes the rows of `table` whose `expires_at` is more than a day old, or for the given time, the oldest first. Each statement continues where the one
 * before ended: read from the beginning, each would pass all rows that were just deleted.
 */
export async function purgeExpired(statements: Statements, table: string, age = '1 day'): Promise<void> {
  const text = `WITH old AS MATERIALIZED (
      SELECT ctid, expires_at FROM ${table} WHERE expires_at >= $1::timestamptz AND expires_at < now() - interval '${age}'
      ORDER BY expires_at LIMIT ${BATCH}),
    gone AS (DELETE FROM ${table} WHERE ctid = ANY(ARRAY(SELECT ctid FROM old)))
    SELECT count(*)::int AS count, max(expires_at)::text AS last FROM old`;
  let from = '-infinity';
  for (let count = BATCH; count === BATCH;) {
    const [batch] = await statements.run<Batch>({ name: `purge.${table}`, text }, [from]);
    count = batch!.count;
    from = batch!.last ?? from;
  }
}

interface Batch extends Record<string, unknown> {
  readonly count: number;
  /** As PostgreSQL writes it, to the microsecond. */
  readonly last: string | null;
}
