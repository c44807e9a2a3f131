import { eventually } from './wait.js';
import type { World } from './world.js';

/** Filled by what a read or a refusal may do (record it, notice a sign-in), and by a periodic job that counts that. */
const NOT_COUNTED = [
  'audit_entries',
  'audit_chains',
  'audit_checkpoints',
  'audited_reads',
  'daily_statistics',
  'hourly_statistics',
  'sign_in_attempts',
  'sso_sessions',
  'migrations',
];
/** The last three by a periodic job, in its own time. */
const NOT_COUNTED_COLUMNS = ['last_login_at', 'last_seen_at', 'announced_at', 'reminded_at', 'retracted_at'];

/** What is due later than a test waits for, such as the comparison of a change, stays in the fingerprint as it is. */
const DUE_MESSAGES = `SELECT 'due messages', count(*)::text FROM outbox_messages
  WHERE done_at IS NULL AND dead_at IS NULL AND available_at < now() + interval '10 seconds'`;

interface Table {
  readonly name: string;
  /** A record of what counts, in the words of a query. */
  readonly record: string;
}

/** They stay the same while a test file runs. */
const tablesOf = new WeakMap<World, Promise<Table[]>>();

/**
 * Rows and a digest of their contents by table: equal before and after means that nothing was written. The digest is a
 * sum of hashes of records, which needs neither sorting nor texts: the authorization matrix alone asks for two thousand.
 * It waits until no outbox message is about to be delivered: a mail on its way changes the mail log in its own time.
 * @param besides tables that the test itself writes
 */
export async function databaseFingerprint(
  world: World,
  besides: readonly string[] = [],
): Promise<Record<string, string>> {
  const tables = tablesOf.get(world) ?? listTables(world);
  tablesOf.set(world, tables);
  const each = (await tables)
    .filter(({ name }) => !besides.includes(name))
    .map(
      ({ name, record }) =>
        `SELECT '${name}' AS name, count(*) || ' rows, ' || coalesce(sum(hash_record_extended(${record}, 0)), 0) AS digest FROM "${name}" t`,
    );
  const query = [...each, DUE_MESSAGES].join(' UNION ALL ');
  const digests = await eventually('an outbox with nothing to deliver', async () => {
    const read = await world.prepared<{ name: string; digest: string }>(query);
    return read.pop()?.digest === '0' && read;
  });
  return Object.fromEntries(digests.map(({ name, digest }) => [name, digest]));
}

function listTables(world: World): Promise<Table[]> {
  return world.sql<Table>(
    `SELECT c.relname AS name, CASE WHEN bool_and(a.attname <> ALL($2)) THEN 't'
       ELSE 'ROW(' || string_agg(format('t.%I', a.attname), ', ' ORDER BY a.attnum) FILTER (WHERE a.attname <> ALL($2)) || ')'
       END AS record
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND c.relname <> ALL($1)
     GROUP BY 1 ORDER BY 1`,
    [NOT_COUNTED, NOT_COUNTED_COLUMNS],
  );
}
