import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { DataSource, type QueryRunner } from 'typeorm';
import { createIndexConcurrently } from '../../../../src/database/concurrent-index.js';
import { applyMigrations } from '../../../../src/database/connection/migrator.js';
import { databaseOptions } from '../../../../src/database/connection/options.js';
import { activeMs } from '../../../support/active-time.js';
import { withPatientDatabase } from '../../../support/patient-database.js';
import { freshDatabase, type TestDatabase } from '../../../support/test-database.js';
import { eventually } from '../../../support/wait.js';

const INDEX = { name: 'ix_users_test', on: 'users (display_name)' };

describe('Migrator', () => {
  let database: TestDatabase;
  let client: Client;
  let source: DataSource;
  let db: QueryRunner;

  beforeEach(async () => {
    database = await freshDatabase();
    client = new Client({ connectionString: database.url });
    await client.connect();
    source = await new DataSource({ ...databaseOptions(database.url, 1), entities: [], migrations: [] }).initialize();
    db = source.createQueryRunner();
  });

  afterEach(async () => {
    await db.release();
    await source.destroy();
    await client.end();
    await database.drop();
  });

  const pending = () => client.query(`DELETE FROM migrations WHERE name = 'LegalLinks1764820000000'`);
  const indexes = async () =>
    (await client.query(`SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass('ix_users_test')`))
      .rows;

  it('gives up after two seconds where a lock is not granted, and can be run again', async () => {
    await pending();
    await client.query('BEGIN');
    await client.query('SELECT FROM apps LIMIT 1');
    const took = await activeMs(() => expect(applyMigrations(database.url)).rejects.toThrow(/lock timeout/));
    expect(took).toBeLessThan(10_000);
    await client.query('COMMIT');
    expect(await applyMigrations(database.url)).toEqual(['LegalLinks1764820000000']);
  });

  const migratePatiently = () => withPatientDatabase(() => applyMigrations(database.url));
  const processes = async (condition: string) => {
    const locks = `SELECT pid FROM pg_locks WHERE ${condition}
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
    return (await client.query<{ pid: number }>(locks)).rows.map(({ pid }) => pid);
  };
  const holders = () => processes(`locktype = 'advisory' AND granted`);
  const waiters = () => processes(`relation = 'apps'::regclass AND NOT granted`);

  it('stops if the connection that holds the lock is lost, rolls back, and can be run again', async () => {
    await pending();
    await client.query('BEGIN');
    await client.query('SELECT FROM apps LIMIT 1');
    const stopped = expect(migratePatiently()).rejects.toThrow('Run the migrations again');
    await eventually('it waits for the table', async () => (await waiters()).length === 1);
    for (const pid of await holders()) await client.query('SELECT pg_terminate_backend($1)', [pid]);
    await stopped;
    await client.query('COMMIT');
    expect(await holders()).toEqual([]);
    expect(await applyMigrations(database.url)).toEqual(['LegalLinks1764820000000']);
  });

  it('holds its lock on the connection that runs the migrations', async () => {
    await pending();
    await client.query('BEGIN');
    await client.query('SELECT FROM apps LIMIT 1');
    const migrating = migratePatiently();
    await eventually('it waits for the table', async () => (await waiters()).length === 1);
    expect(await holders()).toEqual(await waiters());
    await client.query('COMMIT');
    expect(await migrating).toEqual(['LegalLinks1764820000000']);
  });

  it('waits for its turn without holding up an index that the process before it builds concurrently', async () => {
    await client.query(`SELECT pg_advisory_lock(hashtext('migrations'))`);
    await pending();
    let isOver = false;
    const second = applyMigrations(database.url).finally(() => (isOver = true));
    await eventually('it waits', async () => {
      const waiting = `SELECT FROM pg_stat_activity WHERE query LIKE '%hashtext(''migrations'')%'
        AND datname = current_database() AND pid <> pg_backend_pid()`;
      return (await client.query(waiting)).rowCount === 1;
    });
    await createIndexConcurrently(db, INDEX);
    expect([await indexes(), isOver]).toEqual([[{ valid: true }], false]);
    await client.query(`SELECT pg_advisory_unlock(hashtext('migrations'))`);
    expect(await second).toEqual(['LegalLinks1764820000000']);
  });

  it('replaces an index that an interrupted build left invalid, and leaves a valid one', async () => {
    const insert = `INSERT INTO tenants (id, name, slug) VALUES (gen_random_uuid(), 'same', $1)`;
    for (const slug of ['one', 'two']) await client.query(insert, [slug]);
    const unique = { name: 'ix_users_test', on: `tenants (name) WHERE slug IN ('one', 'two')`, isUnique: true };
    await expect(createIndexConcurrently(db, unique)).rejects.toThrow(/could not create unique index/);
    expect(await indexes()).toEqual([{ valid: false }]);
    await client.query(`DELETE FROM tenants WHERE slug = 'two'`);
    for (let runs = 0; runs < 2; runs++) await createIndexConcurrently(db, unique);
    expect(await indexes()).toEqual([{ valid: true }]);
    expect((await db.query('SHOW lock_timeout')) as unknown[]).toEqual([{ lock_timeout: '2s' }]);
  });
});
