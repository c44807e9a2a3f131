import { Client } from 'pg';
import { eventually } from './wait.js';
import type { World } from './world.js';

type Asking = Pick<World, 'sql'>;

/** A transaction that holds rows. @returns commits it */
export async function holdRows(databaseUrl: string, sql: string, values: unknown[]): Promise<() => Promise<void>> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('BEGIN');
  await client.query(sql, values);
  return async () => {
    await client.query('COMMIT');
    await client.end();
  };
}

/**
 * Whether anybody waits for what the transaction on this connection holds. In a database that test files share, others may
 * wait for others at the same time.
 */
export async function isBlocking(holder: Client): Promise<boolean> {
  const text = 'SELECT 1 FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid)) LIMIT 1';
  return (await holder.query(text)).rowCount === 1;
}

/** Transactions that wait for a lock now. */
export async function countWaiters(world: Asking): Promise<number> {
  const sql = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  return (await world.sql(sql)).length;
}

/** Until so many transactions wait for a lock. Seen soon: the service gives each of them 2 s, and then answers 503. */
export async function waitersForLocks(world: Asking, count: number, patience: { within?: number } = {}): Promise<void> {
  const wait = async () => (await countWaiters(world)) >= count;
  await eventually(`${count} transactions wait for a lock`, wait, { every: 10, ...patience });
}
