import type { Statements } from './statements.js';

/** Rows per statement: a purge that has fallen behind must not run into the time limit of one, or it never catches up. */
const BATCH = 5_000;

/** Deletes the rows of `table` whose `expires_at` is more than a day old, or as long ago as is said. */
export async function purgeExpired(statements: Statements, table: string, age = '1 day'): Promise<void> {
  const old = `SELECT ctid FROM ${table} WHERE expires_at < now() - interval '${age}' LIMIT ${BATCH}`;
  const text = `WITH gone AS (DELETE FROM ${table} WHERE ctid = ANY(ARRAY(${old})) RETURNING 1)
    SELECT count(*)::int AS count FROM gone`;
  let last: { count: number } | undefined;
  do [last] = await statements.run<{ count: number }>({ name: `purge.${table}`, text }, []);
  while (last?.count === BATCH);
}
