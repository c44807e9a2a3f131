import { describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { postJson } from '../../support/post.js';
import { countWaiters, holdRows } from '../../support/row-locks.js';
import { type ServicePair, startPair } from '../../support/service-pair.js';
import { unstartedDatabase, type TestDatabase } from '../../support/test-database.js';
import { eventually } from '../../support/wait.js';

/** As they come, and so that each has found nothing before the other has written. */
const ROUNDS = [start, startAbreast] as const;
/** Two processes start on busy cores. */
const PATIENT = { within: 90_000, every: 10 };
const ATTEMPTS = 4;
const ADMIN = { email: 'first@example.com', password: 'a bootstrap password' };

async function rows<Row>(database: TestDatabase, text: string): Promise<Row[]> {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  try {
    return (await client.query(text)).rows as Row[];
  } finally {
    await client.end();
  }
}

/** Two processes that start at the same time on a database without a row. */
async function inEachRound(use: (pair: ServicePair, database: TestDatabase) => Promise<void>): Promise<void> {
  for (const begin of ROUNDS) {
    const { pair, database } = await begun(begin);
    try {
      await use(pair, database).finally(() => pair.stop());
    } finally {
      await database.drop();
    }
  }
}

/**
 * A process that waits 2 s for a lock ends. While the test holds the locks, this happens if the other process comes too late;
 * then the round begins again with a new database. While it holds none, it is an error.
 */
async function begun(begin: (typeof ROUNDS)[number]): Promise<{ pair: ServicePair; database: TestDatabase }> {
  for (let attempt = 1; ; attempt++) {
    const database = await unstartedDatabase();
    try {
      return { pair: await begin(database), database };
    } catch (error) {
      await database.drop();
      const isLate = begin === startAbreast && /due to lock timeout/.test(String(error));
      if (attempt === ATTEMPTS || !isLate) throw error;
    }
  }
}

function start({ url }: TestDatabase): Promise<ServicePair> {
  return startPair({
    DATABASE_URL: url,
    BOOTSTRAP_ADMIN_EMAIL: ADMIN.email,
    BOOTSTRAP_ADMIN_PASSWORD: ADMIN.password,
  });
}

/** Both come to the writing of the key before one of them may, and then to that of the administrator. */
async function startAbreast(database: TestDatabase): Promise<ServicePair> {
  const held: (() => Promise<void>)[] = [];
  try {
    for (const table of ['signing_keys', 'users'])
      held.push(await holdRows(database.url, `LOCK TABLE ${table} IN SHARE MODE`, []));
    const starting = start(database);
    let isOver = false;
    starting.catch(() => (isOver = true));
    const asking = { sql: <Row>(text: string) => rows<Row>(database, text) };
    const wait = async () => isOver || (await countWaiters(asking)) >= 2;
    while (held.length > 0) {
      await eventually('both wait', wait, PATIENT);
      await held.shift()!();
    }
    return await starting;
  } finally {
    for (const release of held) await release();
  }
}

// security 58, F12
describe('Two processes starting at once on an empty database', () => {
  it('create one signing key, which both publish, and one first administrator (security 58)', async () => {
    await inEachRound(async (pair, database) => {
      const keys = await rows<{ kid: string }>(database, 'SELECT kid FROM signing_keys');
      expect(keys).toHaveLength(1);
      for (const address of pair.addresses) {
        const answer = await fetch(`${address}/.well-known/jwks.json`);
        const published = (await answer.json()) as { keys: { kid: string }[] };
        expect(published.keys.map(({ kid }) => kid)).toEqual([keys[0]!.kid]);
      }
      const admins = await rows(database, 'SELECT email FROM users WHERE is_platform_admin');
      expect(admins).toEqual([{ email: ADMIN.email }]);
      const entries = await rows<{ action: string; count: number }>(
        database,
        `SELECT action, count(*)::int FROM audit_entries WHERE action IN ('signing_key.created', 'user.created') GROUP BY 1 ORDER BY 1`,
      );
      expect(entries).toEqual([
        { action: 'signing_key.created', count: 1 },
        { action: 'user.created', count: 1 },
      ]);
      await expectTokensOfEachVerifyAtTheOther(pair, database);
    });
  }, 240_000);
});

async function expectTokensOfEachVerifyAtTheOther(pair: ServicePair, database: TestDatabase): Promise<void> {
  const [consoleApp] = await rows<{ id: string }>(database, 'SELECT id FROM apps WHERE is_console_app');
  for (const [mine, other] of [pair.addresses, [...pair.addresses].reverse()]) {
    const login = await postJson<{ access_token: string }>(`${mine}/auth/login`, { ...ADMIN, app_id: consoleApp!.id });
    expect(login.status).toBe(200);
    const verified = await postJson<{ valid: boolean }>(`${other}/token/verify`, {
      token: login.body.access_token,
      audience: consoleApp!.id,
    });
    expect(verified.body.valid).toBe(true);
  }
}
