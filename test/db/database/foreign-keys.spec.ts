import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';

/** Foreign keys without an index, each with the reason why a deletion may read the whole table. */
const WITHOUT_INDEX: Readonly<Record<string, string>> = {
  'pushed_requests.fk_pushed_requests_app': 'rows are deleted within half an hour, and only unused clients are deleted',
};

/**
 * Foreign keys whose rows PostgreSQL finds without an index. Usable is an index that begins with their columns, of all
 * rows or of all rows in which the only column is not null.
 */
const UNINDEXED = `
  SELECT c.conrelid::regclass || '.' || c.conname AS name FROM pg_constraint c
  WHERE c.contype = 'f' AND NOT EXISTS (
    SELECT 1 FROM pg_index i
    JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
    WHERE i.indrelid = c.conrelid AND i.indisvalid
      AND (i.indkey::int2[])[0:cardinality(c.conkey) - 1] @> c.conkey
      AND (i.indpred IS NULL OR pg_get_expr(i.indpred, i.indrelid) = format('(%I IS NOT NULL)', a.attname)))
  ORDER BY 1`;

describe('Foreign keys', () => {
  let database: TestDatabase;
  let client: Client;

  beforeAll(async () => {
    database = await freshDatabase();
    client = new Client({ connectionString: database.url });
    await client.connect();
  });

  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  const unindexed = async () => (await client.query<{ name: string }>(UNINDEXED)).rows.map(({ name }) => name);

  it('have an index, with which a deletion finds the rows that refer to the deleted one', async () => {
    expect(await unindexed()).toEqual(Object.keys(WITHOUT_INDEX));
  });

  it('are found without one, also where an index has only some of the rows', async () => {
    await client.query('CREATE TABLE shoes (id uuid PRIMARY KEY, user_id uuid REFERENCES users (id), size integer)');
    await client.query('CREATE INDEX ix_shoes_size ON shoes (size, user_id)');
    await client.query('CREATE INDEX ix_shoes_large ON shoes (user_id) WHERE size > 40');
    expect(await unindexed()).toContain('shoes.shoes_user_id_fkey');
    await client.query('CREATE INDEX ix_shoes_user ON shoes (user_id) WHERE user_id IS NOT NULL');
    expect(await unindexed()).not.toContain('shoes.shoes_user_id_fkey');
  });
});
