import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createIndexConcurrently, dropIndexConcurrently } from '../../../src/database/concurrent-index.js';
import { allMigrations, type Migration, MigrationWatch } from '../../support/migration-watch.js';
import { emptyDatabase, freshDatabase, type TestDatabase } from '../../support/test-database.js';

/** Merged before this check was made (2026-11-25), and merged migrations are not changed. Nothing is added to this list. */
const BEFORE_THE_CHECK: readonly string[] = [
  'AuditSeals1763700000700',
  'Statistics1763700001350',
  'TriedAddresses1763700001351',
  'ListsByState1763700001510',
  'InvitesMadeActing1763700001520',
  'QueueOfAJob1764100000000',
  'NamesFound1764500000000',
  'AccessRequestQueue1764600000000',
  'AuditActors1764700000000',
];

const REFUSED: Readonly<Record<string, readonly string[]>> = {
  'another type of a column': ['ALTER TABLE users ALTER COLUMN display_name TYPE varchar(300)'],
  'SET NOT NULL': ['ALTER TABLE users ALTER COLUMN locale SET NOT NULL'],
  'a default that differs from row to row': ['ALTER TABLE users ADD COLUMN seen timestamptz DEFAULT clock_timestamp()'],
  'a generated column': ['ALTER TABLE users ADD COLUMN short text GENERATED ALWAYS AS (left(email, 3)) STORED'],
  'an index': ['CREATE INDEX ix_users_new ON users (display_name)'],
  'a CHECK that is validated': ['ALTER TABLE users ADD CONSTRAINT ck_new CHECK (length(email) > 2)'],
  'a foreign key that is validated': [
    'ALTER TABLE enrollments ADD CONSTRAINT fk_new FOREIGN KEY (user_id) REFERENCES users (id)',
  ],
  'a UNIQUE': ['ALTER TABLE enrollments ADD CONSTRAINT uq_new UNIQUE (user_id, created_at)'],
  'a CHECK that is validated in the transaction that adds it': [
    'ALTER TABLE users ADD CONSTRAINT ck_new CHECK (length(email) > 2) NOT VALID',
    'ALTER TABLE users VALIDATE CONSTRAINT ck_new',
  ],
  'a change of every row': [`UPDATE users SET display_name = ''`],
  'a change of rows under a lock of the table': [
    'ALTER TABLE users ADD COLUMN extra text',
    `UPDATE users SET extra = '' WHERE id = gen_random_uuid()`,
  ],
  'a deletion without an index': [`DELETE FROM audit_entries WHERE metadata ->> 'x' = 'y'`],
  'VACUUM FULL in other words': ['CLUSTER users USING pk_users'],
};

const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'a column that may be null': ['ALTER TABLE users ADD COLUMN extra text'],
  'a column with one default for all': [`ALTER TABLE users ADD COLUMN extra text NOT NULL DEFAULT 'none'`],
  'a column with a foreign key': ['ALTER TABLE users ADD COLUMN boss uuid REFERENCES users (id)'],
  'a CHECK that is not validated yet': ['ALTER TABLE users ADD CONSTRAINT ck_new CHECK (length(email) > 2) NOT VALID'],
  'a foreign key that is not validated yet': [
    'ALTER TABLE enrollments ADD CONSTRAINT fk_new FOREIGN KEY (user_id) REFERENCES users (id) NOT VALID',
  ],
  'a column that is removed': ['ALTER TABLE users DROP COLUMN display_name'],
  'another default': [`ALTER TABLE users ALTER COLUMN display_name SET DEFAULT ''`],
  'a new table that refers to a large one': [
    'CREATE TABLE shoes (id uuid PRIMARY KEY, user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE)',
    'CREATE INDEX ix_shoes_user ON shoes (user_id)',
  ],
  'an index on a small table': ['CREATE INDEX ix_apps_new ON apps (created_at)'],
  'a trigger': [
    `CREATE TRIGGER tr_new BEFORE UPDATE ON users FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()`,
  ],
};

const migration = (more: Partial<Migration>): Migration => ({
  name: 'New1',
  up: () => Promise.resolve(),
  down: () => Promise.resolve(),
  ...more,
});

describe('Locks of migrations', () => {
  const databases: TestDatabase[] = [];
  const watches: MigrationWatch[] = [];
  const watch = async (database: TestDatabase): Promise<MigrationWatch> => {
    databases.push(database);
    watches.push(await MigrationWatch.on(database.url));
    return watches.at(-1)!;
  };
  let migrated: MigrationWatch;

  beforeAll(async () => {
    migrated = await watch(await freshDatabase());
  });

  afterAll(async () => {
    for (const open of watches) await open.close();
    for (const database of databases) await database.drop();
  });

  it('no migration locks or rewrites a large table: index concurrently, NOT VALID first, change rows in batches', async () => {
    const empty = await watch(await emptyDatabase());
    const faults: Record<string, string[]> = {};
    for (const each of await allMigrations()) {
      const found = await empty.apply(each);
      if (found.length > 0) faults[each.name] = found;
    }
    const added = Object.entries(faults).filter(([name]) => !BEFORE_THE_CHECK.includes(name));
    expect(added).toEqual([]);
    expect(Object.keys(faults)).toEqual(BEFORE_THE_CHECK);
  });

  it.each(Object.entries(REFUSED))('%s is refused', async (_what, statements) => {
    expect(await migrated.judge(...statements)).toContainEqual(
      expect.stringMatching(/users|enrollments|audit_entries/),
    );
  });

  it.each(Object.entries(ALLOWED))('%s is allowed', async (_what, statements) => {
    expect(await migrated.judge(...statements)).toEqual([]);
  });

  it('steps in separate transactions are allowed: a check, its validation, then NOT NULL', async () => {
    const steps = migration({
      transaction: false,
      up: async (db) => {
        await db.query('ALTER TABLE users ADD CONSTRAINT ck_step CHECK (locale IS NOT NULL) NOT VALID');
        await db.query('ALTER TABLE users VALIDATE CONSTRAINT ck_step');
        await db.query('ALTER TABLE users ALTER COLUMN locale SET NOT NULL');
      },
    });
    expect(await migrated.apply(steps)).toEqual([]);
  });

  it('an index that is built concurrently is allowed, and one that is not is refused outside of a transaction too', async () => {
    const index = { name: 'ix_users_new', on: 'users (display_name) WHERE is_active' };
    const good = migration({ transaction: false, up: (db) => createIndexConcurrently(db, index) });
    expect(await migrated.apply(good)).toEqual([]);
    const away = migration({ transaction: false, up: (db) => dropIndexConcurrently(db, index.name) });
    expect(await migrated.apply(away)).toEqual([]);
    const bad = migration({ transaction: false, up: (db) => db.query(`CREATE INDEX ix_bad ON users (display_name)`) });
    expect(await migrated.apply(bad)).toEqual(['reads users while it holds ShareLock']);
  });
});
