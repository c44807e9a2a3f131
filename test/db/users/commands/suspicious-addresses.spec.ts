import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { runCommand } from '../../../support/command-line.js';
import { DECEPTIVE_SPELLINGS } from '../../../support/deceptive-addresses.js';
import { freshDatabase, type TestDatabase } from '../../../support/test-database.js';

const LAST = '1763700002200';

describe('Email addresses in the database', () => {
  let database: TestDatabase;
  let sql: Client;

  beforeAll(async () => {
    database = await freshDatabase();
    sql = new Client({ connectionString: database.url });
    await sql.connect();
  });

  afterAll(async () => {
    await sql.end();
    await database.drop();
  });

  const insert = async (email: string, canonical: string): Promise<string> => {
    const id = randomUUID();
    const text = `INSERT INTO users (id, email, email_canonical, display_name, email_verified) VALUES ($1, $2, $3, 'A', true)`;
    await sql.query(text, [id, email, canonical]);
    return id;
  };
  /** Inserts as an older version did, which accepted such addresses. */
  const insertAsBefore = async (email: string, canonical: string): Promise<string> => {
    await sql.query(`SET session_replication_role = 'replica'`);
    try {
      return await insert(email, canonical);
    } finally {
      await sql.query(`SET session_replication_role = 'origin'`);
    }
  };
  const run = () => runCommand(['users', 'suspicious-addresses'], { env: { DATABASE_URL: database.url } });

  it.each(DECEPTIVE_SPELLINGS)(
    'cannot have a deceptive spelling, even through a faulty service: %s',
    async (_what, spell) => {
      const plain = 'nifi.s@database.example';
      await expect(insert(spell(plain), plain)).rejects.toThrow('not the one that it is compared by');
      await expect(insert(spell(plain), spell(plain))).rejects.toThrow('not the one that it is compared by');
    },
  );

  it('differ from their canonical form only in letter case', async () => {
    await insert('Ada@Database.Example', 'ada@database.example');
    await insert('Имя@Пример.рф', 'имя@пример.рф');
    await expect(insert('bea@database.example', 'eve@database.example')).rejects.toThrow('not the one');
    await expect(insert('Имя@Пример.com', 'name@example.com')).rejects.toThrow('not the one');
    await expect(sql.query(`UPDATE users SET email = 'eve@database.example'`)).rejects.toThrow('not the one');
  });

  it('with deceptive spellings from older versions are listed by the command and the migration, and not changed', async () => {
    expect(await run()).toMatchObject({ code: 0, stdout: 'No address would be refused today\n' });
    const squatter = await insertAsBefore('vic\u200btim@corp.test', 'victim@corp.test');
    const twin = await insertAsBefore('\u017fmith@corp.test', 'smith@corp.test');
    await insertAsBefore('M\u00fcller@corp.test', 'm\u00fcller@corp.test');
    await sql.query(`UPDATE tenants SET support_email = 'he\u00adlp@corp.test' WHERE is_platform`);
    const { rows } = await sql.query<{ id: string }>('SELECT id FROM tenants WHERE is_platform');
    const expected = [
      `account ${squatter}: vic<U+200B>tim@corp.test, compared as victim@corp.test, verified`,
      `account ${twin}: <U+017F>mith@corp.test, compared as smith@corp.test, verified`,
    ].sort();
    const support = `support address ${rows[0]!.id}: he<U+00AD>lp@corp.test`;

    const listed = await run();
    expect([listed.code, listed.stdout.split('\n')]).toEqual([
      0,
      [...expected, support, '3 would be refused today', ''],
    ]);

    await sql.query('DROP TRIGGER tr_users_address ON users; DROP TRIGGER tr_invites_address ON invites');
    await sql.query('DROP FUNCTION refuse_address(); DROP FUNCTION is_address_as_mailed(text, text)');
    await sql.query(`DELETE FROM migrations WHERE "timestamp" = ${LAST}`);
    const before = (await sql.query('SELECT id, email, email_canonical FROM users ORDER BY id')).rows;
    const migrated = await runCommand([], { env: { DATABASE_URL: database.url }, script: 'dist/migrate.js' });
    expect([migrated.code, migrated.stdout.split('\n')]).toEqual([
      0,
      [
        expect.stringMatching(/^Applied: /),
        ...[...expected, support].map((line) => `Suspicious ${line}`),
        '3 e-mail addresses would be refused today: see "Suspicious addresses" in docs/operations.md',
        '',
      ],
    ]);
    expect((await sql.query('SELECT id, email, email_canonical FROM users ORDER BY id')).rows).toEqual(before);
    // The row of an existing user can still be updated.
    await sql.query('UPDATE users SET last_login_at = now() WHERE id = $1', [squatter]);
  });
});
