import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '../../support/free-port.js';
import { newUsers } from '../../support/new-user.js';
import { type Failure, postJson } from '../../support/post.js';
import { type ServiceProcess, startProcess } from '../../support/service-process.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { type TestClient, type Tokens, World } from '../../support/world.js';

// security 69, F1: what was answered stays true after kill -9.
describe('Tokens after kill -9', () => {
  let database: TestDatabase;
  let port: number;
  let service: ServiceProcess;
  let world: World;
  let app: TestClient;

  const start = () => startProcess('dist/main.js', { DATABASE_URL: database.url, PORT: String(port) });

  beforeAll(async () => {
    [database, port] = await Promise.all([freshDatabase(), freePort()]);
    service = await start();
    world = await World.open(service.baseUrl, database.url);
    app = await world.app(await world.tenant());
  });

  afterAll(async () => {
    await world.close();
    await service.kill();
    await database.drop();
  });

  const crash = async () => {
    await service.kill('SIGKILL');
    service = await start();
  };
  const refresh = (refresh_token: string) =>
    postJson<Tokens & Failure>(`${service.baseUrl}/token/refresh`, { refresh_token, app_id: app.id });

  it('a refresh token that was returned works, and its parent stays spent (security 69)', async () => {
    const { refresh_token } = await world.tokens(await world.user(app), app.id);
    const child = await refresh(refresh_token);
    expect(child.status).toBe(200);
    await crash();
    const grandchild = await refresh(child.body.refresh_token);
    expect(grandchild.status).toBe(200);
    expect((await refresh(child.body.refresh_token)).status).toBe(401);
  });

  it('a revoked token stays revoked, and a replayed family stays ended (security 69)', async () => {
    const user = await world.user(app);
    const other = await world.user(app);
    const revoked = await world.tokens(user, app.id);
    const replayed = await world.tokens(other, app.id);
    const child = await refresh(replayed.refresh_token);
    await refresh(replayed.refresh_token);
    await world.call('POST', '/token/revoke', { refresh_token: revoked.refresh_token });
    await crash();
    expect((await refresh(revoked.refresh_token)).status).toBe(401);
    expect((await refresh(child.body.refresh_token)).status).toBe(401);
  });

  it('during refreshes: every returned token works and no family has two branches', async () => {
    const users = await newUsers(world, 8, app);
    const latest = new Map<string, string>();
    for (const user of users) latest.set(user.id, (await world.tokens(user, app.id)).refresh_token);
    const inDoubt = new Set<string>();
    let stopped = false;
    const loads = users.map(async ({ id }) => {
      while (!stopped) {
        try {
          const answer = await refresh(latest.get(id)!);
          if (answer.status === 200) latest.set(id, answer.body.refresh_token);
        } catch {
          inDoubt.add(id); // the connection broke: nobody knows whether that refresh took place
          return;
        }
      }
    });
    await new Promise((resolve) => setTimeout(resolve, 400));
    await service.kill('SIGKILL');
    stopped = true;
    await Promise.all(loads);
    service = await start();
    for (const { id } of users) {
      const { status } = await refresh(latest.get(id)!);
      if (!inDoubt.has(id)) expect(status).toBe(200);
      expect([200, 401]).toContain(status);
    }
    const forks = await world.sql(
      `SELECT family_id FROM refresh_tokens WHERE rotated_at IS NULL GROUP BY family_id HAVING count(*) > 1`,
    );
    expect(forks).toEqual([]);
  });

  it('every sign-in that was answered has its audit entry (security 107)', async () => {
    const user = await world.user(app);
    await world.tokens(user, app.id);
    await crash();
    const rows = await world.sql(
      `SELECT (SELECT count(*)::int FROM refresh_families WHERE user_id = $1) AS families,
              (SELECT count(*)::int FROM audit_entries WHERE user_id = $1 AND action = 'user.login') AS entries`,
      [user.id],
    );
    expect(rows).toEqual([{ families: 1, entries: 1 }]);
  });
});
