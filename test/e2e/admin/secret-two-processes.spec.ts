import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CuttableProxy } from '../../support/cuttable-proxy.js';
import { type ServiceProcess, startProcess } from '../../support/service-process.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { type TestClient, type TestTenant, World } from '../../support/world.js';

// security 71
describe('Client secret in two processes', () => {
  let database: TestDatabase;
  /** The proxy between the other process and the database. */
  let proxy: CuttableProxy;
  let processes: [ServiceProcess, ServiceProcess];
  let world: World;
  let tenant: TestTenant;

  beforeAll(async () => {
    database = await freshDatabase();
    proxy = await CuttableProxy.before(database.url);
    const start = (DATABASE_URL: string) => startProcess('dist/main.js', { DATABASE_URL, LOG_LEVEL: 'warn', RATE_LIMITS: 'off' });
    processes = await Promise.all([start(database.url), start(proxy.through(database.url))]);
    world = await World.open(processes[0].baseUrl, database.url);
    tenant = await world.tenant();
  });

  afterAll(async () => {
    await world?.close();
    await Promise.all((processes ?? []).map((each) => each.kill()));
    await proxy?.cut();
    await database.drop();
  });

  /** @returns the status of a token request with this secret to this process */
  async function tokenStatus(process: ServiceProcess, app: TestClient, secret: string): Promise<number> {
    const answer = await fetch(`${process.baseUrl}/auth/token`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ grant_type: 'client_credentials', client_id: app.id, client_secret: secret }),
    });
    await answer.body?.cancel();
    return answer.status;
  }

  it.each([
    ['POST', 'regenerate-secret'],
    ['PUT', 'secret'],
  ])('is replaced in both processes with the response to %s …/%s', async (method, path) => {
    const [here, there] = processes;
    for (let round = 0; round < 3; round++) {
      const app = await world.app(tenant);
      // Both processes have the app with the secret's hash in memory.
      expect(await tokenStatus(here, app, app.secret)).toBe(200);
      expect(await tokenStatus(there, app, app.secret)).toBe(200);
      const body = await world.asAdmin<{ client_secret: string }>(method, `/admin/apps/${app.id}/${path}`);
      expect(Object.keys(body)).toEqual(['client_secret']);
      expect(body.client_secret).toMatch(/^[\w-]{43,}$/);
      const after = await Promise.all([
        tokenStatus(there, app, app.secret),
        tokenStatus(here, app, app.secret),
        tokenStatus(there, app, body.client_secret),
        tokenStatus(here, app, body.client_secret),
      ]);
      expect(after).toEqual([401, 401, 200, 200]);
    }
  });

  it('is replaced in the other process even if no notification reaches it', async () => {
    const [, there] = processes;
    for (let round = 0; round < 5; round++) {
      const app = await world.app(tenant);
      expect(await tokenStatus(there, app, app.secret)).toBe(200);
      proxy.holdNotifications();
      // The other process uses the secret all the time, so that it has always just read it.
      let isReplaced = false;
      const useAllTheTime = async () => {
        while (!isReplaced) await tokenStatus(there, app, app.secret);
      };
      const uses = [useAllTheTime(), useAllTheTime()];
      try {
        const body = await world.asAdmin<{ client_secret: string }>('PUT', `/admin/apps/${app.id}/secret`);
        isReplaced = true;
        expect(await tokenStatus(there, app, app.secret)).toBe(401);
        expect(await tokenStatus(there, app, body.client_secret)).toBe(200);
      } finally {
        isReplaced = true;
        await Promise.all(uses);
        proxy.releaseNotifications();
      }
    }
  });

  it('is shown once: in no list or update, and nowhere in the database', async () => {
    const app = await world.app(tenant);
    const updated = await world.asAdmin<object>('PUT', `/admin/apps/${app.id}`, { name: 'Seen' });
    const list = await world.asAdmin<object[]>('GET', `/admin/apps?tenant_id=${tenant.id}`);
    expect(JSON.stringify([updated, list])).not.toMatch(/secret/);
    const tables = await world.sql<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
    );
    for (const { name } of tables) {
      const [row] = await world.sql<{ n: number }>(
        `SELECT count(*)::int AS n FROM "${name}" t WHERE position($1 IN to_jsonb(t)::text) > 0`,
        [app.secret],
      );
      expect([name, row!.n]).toEqual([name, 0]);
    }
  });
});
