import type { Statements } from './statements.js';

/**
 * Rows per statement. Without a limit, a purge with a large backlog would exceed the statement timeout and never catch
 * up.
 */
const BATCH = 5_000;

/**
 * Deletes the rows of `table` whose `expires_at` is older than `age`, oldest first. Each statement continues where the
 * one before ended; starting over, it would scan all rows that were just deleted.
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
  /** As PostgreSQL prints it, with microsecond precision. */
  readonly last: string | null;
}
