import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { Client } from 'pg';
import { emptyDatabase, freshDatabase, type TestDatabase } from '../support/test-database.js';
import { testEnvironment } from '../support/test-settings.js';

interface Ended {
  readonly code: number | null;
  /** Standard output alone: libraries may warn on standard error. */
  readonly printed: string;
  readonly output: string;
}

/** Runs compiled code in a separate process, as in production: jest cannot load migrations by their file names. */
async function run(script: string, databaseUrl: string): Promise<Ended> {
  const child = spawn(process.execPath, [script], {
    env: {
      PATH: process.env['PATH'],
      ...testEnvironment(),
      REDIS_URL: 'redis://127.0.0.1:1',
      DATABASE_URL: databaseUrl,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code: code as number | null, printed: out, output: out + err };
}

async function query<Row>(databaseUrl: string, statement: string): Promise<Row[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query(statement)).rows as Row[];
  } finally {
    await client.end();
  }
}

const TABLES = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1";

describe('Migrations', () => {
  let database: TestDatabase;
  afterEach(() => database.drop());

  describe('on an empty database', () => {
    beforeEach(async () => {
      database = await emptyDatabase();
    });

    it('run once, and change nothing on a second run', async () => {
      expect(await run('dist/migrate.js', database.url)).toMatchObject({ code: 0 });
      const tables = await query(database.url, TABLES);
      expect(tables.length).toBeGreaterThan(5);
      expect(await run('dist/migrate.js', database.url)).toMatchObject({ code: 0 });
      expect(await query(database.url, TABLES)).toEqual(tables);
    });

    it('correct the config of existing apps to the enforced limits and methods', async () => {
      expect(await run('dist/migrate.js', database.url)).toMatchObject({ code: 0 });
      const change = (config: string) => query(database.url, `UPDATE apps SET config = config || '${config}'`);
      await change('{"refresh_lifetime_days": 365, "allowed_providers": ["google", "nosuchprovider", "password"]}');
      await query(database.url, "DELETE FROM migrations WHERE name = 'AppConfigAsEnforced1763700002900'");
      expect(await run('dist/migrate.js', database.url)).toMatchObject({ code: 0 });
      const configs = await query(
        database.url,
        "SELECT config -> 'refresh_lifetime_days' AS days, config -> 'allowed_providers' AS methods FROM apps",
      );
      expect(configs).toEqual([{ days: 90, methods: ['google', 'password'] }]);
    });

    it('stop at an app whose settings cannot be read, and name it', async () => {
      expect(await run('dist/migrate.js', database.url)).toMatchObject({ code: 0 });
      await query(database.url, 'ALTER TABLE apps DROP CONSTRAINT ck_apps_config, DROP CONSTRAINT ck_apps_branding');
      await query(database.url, "DELETE FROM migrations WHERE name = 'AppSettingsChecked1764400000000'");
      const [app] = await query<{ id: string }>(database.url, `UPDATE apps SET config = '{}' RETURNING id`);
      const { code, output } = await run('dist/migrate.js', database.url);
      expect([code, output]).toEqual([
        1,
        expect.stringContaining(`of the table "apps", then migrate again: ${app!.id}`),
      ]);
    });

    it('succeed when started twice at the same time', async () => {
      const both = await Promise.all([run('dist/migrate.js', database.url), run('dist/migrate.js', database.url)]);
      expect(both.map(({ code, output }) => (code === 0 ? 'ok' : output))).toEqual(['ok', 'ok']);
    });
  });

  describe('compared with the entities', () => {
    beforeEach(async () => {
      database = await freshDatabase();
    });

    it('show no differences', async () => {
      const { code, printed } = await run('scripts/migration-check.mjs', database.url);
      expect(printed).toMatch(/^[1-9]\d* entities, 0 differences\s*$/);
      expect(code).toBe(0);
    });

    it('show a column that was added by hand', async () => {
      await query(database.url, 'ALTER TABLE users ADD COLUMN planted text');
      const { code, output } = await run('scripts/migration-check.mjs', database.url);
      expect(output).toContain('planted');
      expect(code).toBe(1);
    });
  });
});
