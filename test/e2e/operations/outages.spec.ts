import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { activeMs } from '../../support/active-time.js';
import { CuttableProxy } from '../../support/cuttable-proxy.js';
import { newUsers } from '../../support/new-user.js';
import { OwnRedis } from '../../support/own-redis.js';
import { type ServiceProcess, startProcess } from '../../support/service-process.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { eventually } from '../../support/wait.js';
import { type TestUser, type TestClient, type Tokens, World } from '../../support/world.js';

describe('Database and Redis outages', () => {
  let database: TestDatabase;
  let line: CuttableProxy;
  let redis: OwnRedis;
  let service: ServiceProcess;
  let world: World;
  let app: TestClient;
  let user: TestUser;
  let tokens: Tokens;

  beforeAll(async () => {
    database = await freshDatabase();
    line = await CuttableProxy.before(database.url);
    redis = await OwnRedis.start();
    service = await startProcess('dist/main.js', { DATABASE_URL: line.through(database.url), REDIS_URL: redis.url });
    world = await World.open(service.baseUrl, database.url);
    app = await world.app(await world.tenant());
    user = await world.user(app);
    tokens = await world.tokens(user, app.id);
  });

  afterAll(async () => {
    await world?.close();
    await service?.kill();
    await redis?.kill();
    await line?.cut();
    await database?.drop();
  });

  const get = async (path: string) => {
    const answer = await fetch(service.baseUrl + path);
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  const ready = () => get('/health/ready');
  /** Each check has a second, so on a busy machine another dependency may be late in one answer. */
  const expectReadiness = (status: number, body: object, path = '/health/ready') =>
    eventually('the readiness', async () => {
      expect(await get(path)).toMatchObject({ status, body });
      return true;
    });

  it('GET /health/ready returns 200 and lists every dependency as up before an outage', async () => {
    const details = { database: { status: 'up' }, redis: { status: 'up' }, migrations: { status: 'up' } };
    await expectReadiness(200, { status: 'ok', details });
  });

  // F2
  it('without PostgreSQL the service returns 503 where it needs the database, and JWKS and discovery from memory', async () => {
    const [keys, discovery] = [await get('/.well-known/jwks.json'), await get('/.well-known/openid-configuration')];
    await line.cut();
    await expectReadiness(503, { status: 'error', details: { database: { status: 'down' } } });
    expect((await get('/health/live')).status).toBe(200);
    expect(await get('/.well-known/jwks.json')).toEqual(keys);
    expect(await get('/.well-known/openid-configuration')).toEqual(discovery);
    for (const [method, path, body, token] of [
      ['POST', '/auth/login', { email: user.email, password: user.password, app_id: app.id }, undefined],
      ['POST', '/token/refresh', { refresh_token: tokens.refresh_token, app_id: app.id }, undefined],
      ['POST', '/token/revoke', { refresh_token: tokens.refresh_token }, undefined], // security 70
      ['GET', '/admin/tenants', undefined, world.admin.token],
      ['POST', '/admin/tenants', { name: 'Lost' }, world.admin.token],
      ['GET', '/admin/users', undefined, world.admin.token],
    ] as const) {
      const answer = await world.call(method, path, body, { token });
      expect([path, answer.status, answer.body['detail']]).toEqual([path, 503, 'Service Unavailable']);
      expect([path, Number(answer.headers.get('retry-after')) > 0]).toEqual([path, true]);
      expect(JSON.stringify(answer.body)).not.toMatch(/ECONN|postgres|127\.0\.0\.1|\.js/);
    }
    // security 117
    const anonymous = await world.call('GET', '/admin/tenants', undefined, { token: 'x' });
    expect(anonymous.status).toBe(401);
  });

  // F2
  it('after PostgreSQL returns the service is ready again within seconds, without a restart', async () => {
    await line.join();
    const took = await activeMs(() => eventually('it is ready', async () => (await ready()).status === 200));
    expect(took).toBeLessThan(10_000);
    expect((await world.login(user, app.id)).status).toBe(200);
    const refreshed = await world.call('POST', '/token/refresh', {
      refresh_token: tokens.refresh_token,
      app_id: app.id,
    });
    expect(refreshed.status).toBe(200);
    expect(service.logs().some((written) => /unhandled|uncaught/i.test(written))).toBe(false);
  });

  it('after a reconnection the service applies changes made while its LISTEN connection was down', async () => {
    await line.cut();
    await world.sql('UPDATE apps SET is_active = false WHERE id = $1', [app.id]);
    await line.join();
    await eventually('it is ready', async () => (await ready()).status === 200);
    const login = await world.login(user, app.id);
    expect([login.status, login.body.detail]).toEqual([400, 'Invalid app_id']);
    await world.sql('UPDATE apps SET is_active = true WHERE id = $1', [app.id]);
    await eventually('the app is back', async () => (await world.login(user, app.id)).status === 200);
  });

  it('is not ready while PostgreSQL is read-only, says so, and replaces such connections without a restart', async () => {
    const name = new URL(database.url).pathname.slice(1);
    await world.sql(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    await line.cut();
    await line.join();
    const { body } = await eventually('it is read-only', async () => {
      const answer = await ready();
      return JSON.stringify(answer.body).includes('read-only') && answer;
    });
    expect(body).toMatchObject({ details: { database: { status: 'down', message: 'read-only' } } });
    expect((await world.login(user, app.id)).status).toBe(503);
    // Sessions keep this setting until they end.
    await world.sql(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
    const [reset] = await world.sql<{ at: string }>('SELECT clock_timestamp()::text AS at');
    await eventually('it is ready', async () => (await ready()).status === 200);
    await eventually('every connection is new', async () => (await world.login(user, app.id)).status === 200);
    const listeners = () =>
      world.sql(
        `SELECT 1 FROM pg_stat_activity WHERE datname = $1 AND application_name = 'identity-broker listener'
         AND backend_start > $2`,
        [name, reset!.at],
      );
    await eventually('the connection for notifications, too', async () => (await listeners()).length === 1);
  });

  // F3
  it('answers 503 with Retry-After, never 500, while single connections to PostgreSQL are cut', async () => {
    const users = await newUsers(world, 4, app);
    const found = new Map<number, number>();
    let over = false;
    const note = ({ status, headers }: { status: number; headers: Headers }): void => {
      found.set(status, (found.get(status) ?? 0) + 1);
      if (status === 503) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    };
    const client = async (someone: TestUser): Promise<void> => {
      while (!over) {
        note(await world.call('GET', '/admin/users', undefined, { token: world.admin.token }));
        note(await world.call('POST', '/admin/tenants', { name: 'Cut' }, { token: world.admin.token }));
        const login = await world.login(someone, app.id);
        note(login);
        const { refresh_token } = login.body as unknown as Tokens;
        if (refresh_token) note(await world.call('POST', '/token/refresh', { refresh_token, app_id: app.id }));
      }
    };
    const clients = users.map(client);
    const enough = () => (found.get(200) ?? 0) > 20;
    const end = performance.now() + 60_000;
    for (let cuts = 0; cuts < 60 || (!enough() && performance.now() < end); cuts++) {
      await world.sql(
        `SELECT pg_terminate_backend(pid) FROM (
           SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'identity-broker'
           ORDER BY state = 'idle', random() LIMIT 1) AS one`,
      );
      await sleep(30);
    }
    over = true;
    await Promise.all(clients);
    expect([...found.keys()].filter((status) => ![200, 201, 503].includes(status))).toEqual([]);
    expect(enough()).toBe(true);
    expect(service.logs().filter((line) => /already released/i.test(line))).toEqual([]);
  });

  // security 117
  it('without Redis the service is not ready, but still answers requests and enforces rate limits', async () => {
    await redis.kill();
    const details = { redis: { status: 'down' }, database: { status: 'up' } };
    await expectReadiness(503, { details });
    await expectReadiness(200, { status: 'ok', details }, '/health/ready?ignore_redis=true');
    expect((await get('/health/live')).status).toBe(200);
    expect((await world.login(user, app.id)).status).toBe(200);
    expect((await world.call('GET', '/admin/tenants', undefined, { token: world.admin.token })).status).toBe(200);
    const victim = await world.user(app);
    const statuses: number[] = [];
    for (let tries = 0; tries < 8; tries++)
      statuses.push((await world.login({ ...victim, password: 'wrong' }, app.id)).status);
    expect(statuses.slice(0, 3)).toEqual([401, 401, 401]);
    expect(statuses.at(-1)).toBe(429);
  });

  it('after Redis returns the service is ready again', async () => {
    await redis.start();
    await eventually('it is ready', async () => (await ready()).status === 200);
    expect((await world.login(user, app.id)).status).toBe(200);
  });
});
