import type { Client } from 'pg';

/** Rows from which reading a whole table is a fault. */
const LARGE_ROWS = 10_000;

/** How often each large table has been read from its beginning to its end, since the server started. */
export async function wholeReads(client: Client): Promise<ReadonlyMap<string, number>> {
  const { rows } = await client.query<{ name: string; reads: number }>(
    'SELECT relname AS name, seq_scan::int AS reads FROM pg_stat_user_tables WHERE n_live_tup > $1',
    [LARGE_ROWS],
  );
  return new Map(rows.map(({ name, reads }) => [name, reads]));
}

export interface Upkeep {
  /** Refresh tokens that the purge should have deleted. */
  readonly overdue: number;
  readonly unsealed: number;
  /** Of `refresh_tokens`. */
  readonly dead: number;
  readonly live: number;
  readonly vacuums: number;
  readonly outbox: number;
}

/** What purge, sealing and autovacuum have not done yet. */
export async function upkeep(client: Client): Promise<Upkeep> {
  const { rows } = await client.query<Upkeep>(
    `SELECT (SELECT count(*)::int FROM refresh_tokens WHERE expires_at < now() - interval '1 day') AS overdue,
       (SELECT count(*)::int FROM audit_entries WHERE seq IS NULL) AS unsealed,
       (SELECT count(*)::int FROM outbox_messages) AS outbox,
       n_dead_tup::int AS dead, n_live_tup::int AS live, autovacuum_count::int AS vacuums
     FROM pg_stat_user_tables WHERE relname = 'refresh_tokens'`,
  );
  return rows[0]!;
}

export interface Size {
  readonly name: string;
  readonly rows: number;
  readonly tableBytes: number;
  readonly indexBytes: number;
}

/** The large tables, the largest first. */
export async function sizes(client: Client): Promise<Size[]> {
  const { rows } = await client.query<Size>(
    `SELECT relname AS name, n_live_tup::int AS rows, pg_table_size(relid)::float8 AS "tableBytes",
       pg_indexes_size(relid)::float8 AS "indexBytes"
     FROM pg_stat_user_tables WHERE n_live_tup > $1 ORDER BY pg_total_relation_size(relid) DESC`,
    [LARGE_ROWS],
  );
  return rows;
}
