import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { databaseOptions } from '../../../src/database/connection/options.js';
import { type Purge, purgeInBatches } from '../../../src/database/purge-in-batches.js';
import { type Statement, Statements } from '../../../src/database/statements.js';
import { withPatientDatabase } from '../../support/patient-database.js';
import { holdRows, waitersForLocks } from '../../support/row-locks.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';

const PURGE: Purge = { table: 'done', column: 'at', age: '1 hour', where: 'word IS NOT NULL', batch: 10 };

describe('A purge in batches', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let statements: Statements;

  beforeAll(async () => {
    database = await freshDatabase();
    const options = { ...databaseOptions(database.url), entities: [], logging: false };
    dataSource = await withPatientDatabase(() => new DataSource(options).initialize());
    await dataSource.query('CREATE TABLE done (n int, at timestamptz, word text)');
    statements = new Statements(dataSource);
  });

  beforeEach(() => dataSource.query('TRUNCATE done'));

  afterAll(async () => {
    await dataSource?.destroy();
    await database?.drop();
  });

  const insert = (from: number, to: number, minutes: string, word: string | null = 'old') =>
    dataSource.query(
      `INSERT INTO done SELECT n, now() - make_interval(mins => ${minutes}), $3 FROM generate_series($1::int, $2) n`,
      [from, to, word],
    );
  const left = async () => (await dataSource.query<{ n: number }[]>('SELECT n FROM done ORDER BY n')).map(({ n }) => n);

  it('goes on until nothing is left, with a limit for each statement', async () => {
    await insert(1, 35, '61 + n');
    await insert(36, 37, '59');
    await insert(38, 38, '120', null);
    const deleted: number[] = [];
    const counting = {
      run: async (statement: Statement, values: unknown[]) => {
        const rows = await statements.run<{ count: number }>(statement, values);
        deleted.push(rows[0]!.count);
        return rows;
      },
    };
    await purgeInBatches(counting as unknown as Statements, PURGE);
    expect(deleted).toEqual([10, 10, 10, 5]);
    expect(await left()).toEqual([36, 37, 38]);
  });

  it('deletes more rows of the same time than fit into a batch', async () => {
    await insert(1, 25, '120');
    await purgeInBatches(statements, PURGE);
    expect(await left()).toEqual([]);
  });

  it.each([
    ['has a later time', 'at = now()'],
    ['no longer meets the condition', 'word = NULL'],
  ])('leaves a row that %s in the meantime, and deletes the others', async (_what, change) => {
    await insert(1, 12, '120 - n');
    const release = await holdRows(database.url, `UPDATE done SET ${change} WHERE n = $1`, [3]);
    const purge = purgeInBatches(statements, PURGE);
    await waitersForLocks({ sql: (text, values) => dataSource.query(text, values as unknown[]) }, 1);
    await release();
    await purge;
    expect(await left()).toEqual([3]);
  });
});
