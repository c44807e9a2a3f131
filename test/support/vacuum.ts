import type { Client } from 'pg';
import { eventually } from './wait.js';

/**
 * VACUUM ANALYZE, until the pages of the tables are known to be visible to all: otherwise the planner expects that an index
 * alone does not suffice. That fails while anything reads an older state of the database, such as autovacuum.
 */
export async function vacuum(client: Client, ...tables: readonly string[]): Promise<void> {
  for (const table of tables) {
    await eventually(`the rows of ${table} are visible to all`, async () => {
      await client.query(`VACUUM (ANALYZE) ${table}`);
      const { rows } = await client.query<{ is_visible: boolean }>(
        'SELECT relallvisible >= relpages AS is_visible FROM pg_class WHERE oid = $1::regclass',
        [table],
      );
      return rows[0]!.is_visible;
    });
  }
}
