import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource, type EntityManager } from 'typeorm';
import { failureOf } from '../../../src/common/errors/failure.js';
import { databaseOptions } from '../../../src/database/connection/options.js';
import { Transactions } from '../../../src/database/transactions.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';

const CUT_OWN_CONNECTION = 'SELECT pg_terminate_backend(pg_backend_pid())';

describe('Transactions.run', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let transactions: Transactions;

  beforeAll(async () => {
    database = await freshDatabase();
    dataSource = await new DataSource({ ...databaseOptions(database.url), entities: [], logging: false }).initialize();
    transactions = new Transactions(dataSource);
    await dataSource.query('CREATE TABLE done (word text)');
    await dataSource.query(`
      CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$`);
    await dataSource.query(`
      CREATE CONSTRAINT TRIGGER cut_at_commit AFTER INSERT ON done DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW WHEN (NEW.word = 'cut at commit') EXECUTE FUNCTION cut()`);
  });

  afterAll(async () => {
    await dataSource?.destroy();
    await database?.drop();
  });

  const write = (tx: EntityManager, word: string) => tx.query('INSERT INTO done VALUES ($1)', [word]);
  const written = async (word: string): Promise<number> =>
    ((await dataSource.query('SELECT FROM done WHERE word = $1', [word])) as unknown[]).length;

  it('runs the work once more when its connection was cut before COMMIT, and writes once', async () => {
    let runs = 0;
    await transactions.run(async (tx) => {
      await write(tx, 'once');
      if (++runs === 1) await tx.query(CUT_OWN_CONNECTION);
    });
    expect([runs, await written('once')]).toEqual([2, 1]);
  });

  it('recognizes a connection that was cut between two statements', async () => {
    let runs = 0;
    await transactions.run(async (tx) => {
      if (++runs === 1) {
        await tx.query(CUT_OWN_CONNECTION).catch(() => undefined);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      await write(tx, 'between');
    });
    expect([runs, await written('between')]).toEqual([2, 1]);
  });

  it('does not run the work again when the connection was cut during COMMIT', async () => {
    let runs = 0;
    const running = transactions.run(async (tx) => {
      runs++;
      await write(tx, 'cut at commit');
    });
    const error: unknown = await running.then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect([runs, failureOf(error)]).toMatchObject([1, { status: 503, retryAfter: 2 }]);
  });

  it('gives up with 503 when the connection is cut again', async () => {
    let runs = 0;
    const error: unknown = await transactions
      .run(async (tx) => {
        runs++;
        await tx.query(CUT_OWN_CONNECTION).catch(() => undefined);
        await new Promise((resolve) => setTimeout(resolve, 100));
        await write(tx, 'never');
      })
      .catch((thrown: unknown) => thrown);
    expect([runs, failureOf(error)]).toMatchObject([2, { status: 503, retryAfter: 2 }]);
    expect(await written('never')).toBe(0);
  });
});
