import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { databaseOptions } from '../../../src/database/connection/options.js';
import { Statements } from '../../../src/database/statements.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';

const WRITE = { name: 'test_write', text: 'INSERT INTO done VALUES ($1) RETURNING 1' };

describe('A statement on its own', () => {
  let database: TestDatabase;
  let dataSource: DataSource;

  beforeAll(async () => {
    database = await freshDatabase();
    dataSource = await new DataSource({ ...databaseOptions(database.url), entities: [], logging: false }).initialize();
    await dataSource.query('CREATE TABLE done (word text)');
    await dataSource.query('CREATE SEQUENCE turns'); // counts on where a statement was undone
    await dataSource.query(`
      CREATE FUNCTION collide() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF nextval('turns') <= 1 OR NEW.word = 'always' THEN RAISE EXCEPTION 'deadlock' USING ERRCODE = '40P01'; END IF;
        RETURN NEW;
      END $$`);
    await dataSource.query('CREATE TRIGGER collide BEFORE INSERT ON done FOR EACH ROW EXECUTE FUNCTION collide()');
  });

  afterAll(async () => {
    await dataSource?.destroy();
    await database?.drop();
  });

  it('runs once more after a deadlock, and no more often', async () => {
    const statements = new Statements(dataSource);
    expect(await statements.run(WRITE, ['once'])).toHaveLength(1);
    await expect(statements.run(WRITE, ['always'])).rejects.toThrow('deadlock');
    expect(await dataSource.query('SELECT word FROM done')).toEqual([{ word: 'once' }]);
    expect(await dataSource.query('SELECT last_value::int AS turns FROM turns')).toEqual([{ turns: 4 }]);
  });

  it('inside a transaction is left to the transaction', async () => {
    const statements = new Statements(dataSource);
    await dataSource.query("SELECT setval('turns', 1, false)");
    await expect(dataSource.transaction((tx) => statements.run(WRITE, ['within'], tx))).rejects.toThrow('deadlock');
    expect(await dataSource.query('SELECT last_value::int AS turns FROM turns')).toEqual([{ turns: 1 }]);
  });
});
