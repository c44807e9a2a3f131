import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { databaseFingerprint } from '../../support/database-fingerprint.js';
import { freePort } from '../../support/free-port.js';
import { type ServiceProcess, startProcess } from '../../support/service-process.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { eventually } from '../../support/wait.js';
import { World } from '../../support/world.js';

const LAST = 'zzz-last@example.com';
const USERS = 3000;

describe('Failed import writes nothing', () => {
  let database: TestDatabase;
  let service: ServiceProcess;
  let world: World;
  let port: number;

  const start = () => startProcess('dist/main.js', { DATABASE_URL: database.url, PORT: String(port) });

  beforeAll(async () => {
    [database, port] = await Promise.all([freshDatabase(), freePort()]);
    service = await start();
    world = await World.open(service.baseUrl, database.url);
  });

  afterAll(async () => {
    await world.close();
    await service.kill();
    await database.drop();
  });

  /** Enough for several batches of accounts, and the last one in every order. */
  const document = () => {
    const users = Array.from({ length: USERS }, (_, n) => ({
      email: `p${String(n).padStart(5, '0')}@example.com`,
      display_name: `P ${n}`,
    }));
    users.push({ email: LAST, display_name: 'Last' });
    return { tenant: { name: 'Acme', slug: 'acme' }, apps: [{ name: 'Shop', bundle_id: 'com.acme.shop', users }] };
  };
  const bring = (baseUrl: string) =>
    fetch(`${baseUrl}/admin/tenants/import`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${world.admin.token}` },
      body: JSON.stringify(document()),
    });
  const entries = async () => (await world.sql<{ n: number }>('SELECT count(*)::int AS n FROM audit_entries'))[0]!.n;

  it.each([
    ['its last account', 'users', `NEW.email = '${LAST}'`],
    ['its last enrollment', 'enrollments', `NEW.user_id = (SELECT id FROM users WHERE email = '${LAST}')`],
    ['its own audit entry', 'audit_entries', `NEW.action = 'tenant.imported'`],
  ])('if %s cannot be written', async (_, table, condition) => {
    await world.sql(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN IF ${condition} THEN RAISE EXCEPTION 'no room'; END IF; RETURN NEW; END $$`);
    await world.sql(`CREATE TRIGGER tr_refuse BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION refuse()`);
    try {
      const [before, written] = [await databaseFingerprint(world), await entries()];
      const answer = await bring(service.baseUrl);
      expect([answer.status, await answer.json()]).toEqual([
        500,
        { detail: 'Internal Server Error', request_id: expect.any(String) },
      ]);
      expect(await databaseFingerprint(world)).toEqual(before);
      expect(await entries()).toBe(written);
    } finally {
      await world.sql('DROP FUNCTION refuse() CASCADE');
    }
  });

  it('if the process is killed during the import', async () => {
    const [before, written] = [await databaseFingerprint(world), await entries()];
    // Held up at its last account: it is certainly under way, and certainly not done.
    await world.sql(`
      CREATE FUNCTION wait_at_gate() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN IF NEW.email = '${LAST}' THEN PERFORM pg_sleep(4); END IF; RETURN NEW; END $$`);
    await world.sql('CREATE TRIGGER tr_wait BEFORE INSERT ON users FOR EACH ROW EXECUTE FUNCTION wait_at_gate()');
    const answer = bring(service.baseUrl).then(
      () => 'answered',
      () => 'cut off',
    );
    await eventually('the import is at its last account', async () => {
      const rows = await world.sql(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`,
      );
      return rows.length > 0;
    });
    await service.kill('SIGKILL');
    expect(await answer).toBe('cut off');
    await eventually('its transaction has ended', async () => {
      const rows = await world.sql(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`,
      );
      return rows.length === 0;
    });
    await world.sql('DROP FUNCTION wait_at_gate() CASCADE');
    expect(await databaseFingerprint(world)).toEqual(before);
    expect(await entries()).toBe(written);
    service = await start();
    const second = await bring(service.baseUrl);
    expect([second.status, ((await second.json()) as { users: object }).users]).toEqual([
      201,
      { created: USERS + 1, enrolled: 0, unchanged: [] },
    ]);
  });
});
