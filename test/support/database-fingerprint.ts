/** Filled by what a refusal may do (write it down, notice a sign-in), and by a periodic job that counts that. */
const NOT_COUNTED = [
  'audit_entries',
  'audit_chains',
  'audit_checkpoints',
  'daily_statistics',
  'hourly_statistics',
  'sign_in_attempts',
  'sso_sessions',
  'migrations',
];
const NOT_COUNTED_COLUMNS = ['last_login_at', 'last_seen_at'];

interface Database {
  sql<Row extends Record<string, unknown>>(text: string, values?: unknown[]): Promise<Row[]>;
}

/**
 * Rows and a digest of their contents by table: equal before and after means that nothing was written.
 * @param besides tables that the test itself writes
 */
export async function databaseFingerprint(
  database: Database,
  besides: readonly string[] = [],
): Promise<Record<string, string>> {
  const tables = await database.sql<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables
     WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND table_name <> ALL($1) ORDER BY 1`,
    [[...NOT_COUNTED, ...besides]],
  );
  const row = NOT_COUNTED_COLUMNS.reduce((json, column) => `${json} - '${column}'`, 'to_jsonb(t)');
  const each = tables.map(
    ({ name }) =>
      `SELECT '${name}' AS name, count(*) || ' rows, ' || md5(coalesce(string_agg((${row})::text, '|' ORDER BY (${row})::text), '')) AS digest FROM "${name}" t`,
  );
  const digests = await database.sql<{ name: string; digest: string }>(each.join(' UNION ALL '));
  return Object.fromEntries(digests.map(({ name, digest }) => [name, digest]));
}
