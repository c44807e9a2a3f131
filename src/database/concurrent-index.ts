import type { QueryRunner } from 'typeorm';

export interface ConcurrentIndex {
  readonly name: string;
  /** The SQL after `ON`: table, columns and condition. */
  readonly on: string;
  readonly isUnique?: boolean;
}

/**
 * Builds an index while others read and write the table. For migrations with `transaction = false`: PostgreSQL does not
 * allow it in a transaction, so steps before a failure are not undone. The migration can be run again: a valid index of
 * that name stays as it is, and an invalid one from a failed build is replaced.
 */
export async function createIndexConcurrently(db: QueryRunner, index: ConcurrentIndex): Promise<void> {
  if (await isValid(db, index.name)) return;
  await waitingAsLongAsItTakes(db, async () => {
    await db.query(`DROP INDEX CONCURRENTLY IF EXISTS ${index.name}`);
    await db.query(`CREATE ${index.isUnique ? 'UNIQUE ' : ''}INDEX CONCURRENTLY ${index.name} ON ${index.on}`);
  });
}

/** Reverses {@link createIndexConcurrently}, in a migration with `transaction = false`. */
export async function dropIndexConcurrently(db: QueryRunner, name: string): Promise<void> {
  await waitingAsLongAsItTakes(db, () => db.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`));
}

async function isValid(db: QueryRunner, name: string): Promise<boolean> {
  const rows = (await db.query('SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass($1)', [
    name,
  ])) as { valid: boolean }[];
  return rows[0]?.valid ?? false;
}

/**
 * The build waits for transactions that began before it, but no statement waits for the build. The migrator's lock
 * timeout, which protects other statements, would only make it fail.
 */
async function waitingAsLongAsItTakes(db: QueryRunner, work: () => Promise<unknown>): Promise<void> {
  await db.query('SET lock_timeout = 0');
  try {
    await work();
  } finally {
    await db.query('RESET lock_timeout');
  }
}
