import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { mock } from 'node:test';
import type { RateLimitSettings } from '../../../src/config/settings.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { eventually } from '../../support/wait.js';
import { type TestUser, type TestClient, type TestTenant, World } from '../../support/world.js';

interface Entry {
  readonly user_id: string | null;
  readonly tenant_id: string | null;
  readonly app_id: string | null;
  readonly actor_type: string;
  readonly ip_address: string;
  readonly metadata: { method?: string; route?: string; count?: number; limited_by?: string; since?: string };
}

describe('Audit entries of refused requests (access.denied)', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;

  const start = async (overrides: RateLimitSettings['overrides'] = {}) => {
    const rateLimits = { enabled: true, overrides: { login_ip: { points: 10_000, seconds: 60 }, ...overrides } };
    service = await startTestApp({ settings: { databaseUrl: database.url, trustProxy: 1, rateLimits } });
    world = await World.open(service.baseUrl, database.url);
    tenant = await world.tenant();
    app = await world.app(tenant);
  };
  let stopped = false;
  const stop = async () => {
    if (!stopped) await service.close();
    stopped = true;
  };

  beforeEach(async () => {
    database = await freshDatabase();
    stopped = false;
  });

  afterEach(async () => {
    await world.close();
    await stop();
    await database.drop();
  });

  const entries = () =>
    world.sql<Entry>(
      `SELECT user_id, tenant_id, app_id, actor_type, ip_address, metadata FROM audit_entries
       WHERE action = 'access.denied' ORDER BY ordinal`,
    );
  const tokenOf = async (user: TestUser, at = app.id) => (await world.tokens(user, at)).access_token;
  const ask = async (token: string, { path = '/admin/tenants', from = '192.0.2.1' } = {}) =>
    (await world.call('GET', path, undefined, { token, headers: { 'X-Forwarded-For': from } })).status;
  const askOften = async (times: number, token: string, where = {}) => {
    for (let time = 0; time < times; time++) expect(await ask(token, where)).toBe(403);
  };

  it('are at most twenty a minute for one caller, plus one entry with the count of the rest when the process stops', async () => {
    await start();
    const user = await world.user(app);
    const token = await tokenOf(user);
    for (let time = 0; time < 60; time++) expect(await ask(token, { from: `192.0.2.${time + 1}` })).toBe(403);
    expect(await entries()).toHaveLength(20);
    await stop();
    const all = await entries();
    expect(all).toHaveLength(21);
    expect(all[0]!.metadata).toEqual({ method: 'GET', route: '/admin/tenants' });
    expect(all.at(-1)).toMatchObject({
      user_id: user.id,
      tenant_id: tenant.id,
      app_id: app.id,
      actor_type: 'user',
      metadata: { count: 40, limited_by: 'caller', since: expect.any(String) },
    });
  });

  it('are at most twenty a minute for one network address, plus one anonymous entry with the count of the rest', async () => {
    await start();
    for (let caller = 0; caller < 6; caller++) await askOften(5, await tokenOf(await world.user(app)));
    await stop();
    const all = await entries();
    expect(all).toHaveLength(21);
    expect(all.at(-1)).toMatchObject({
      user_id: null,
      actor_type: 'anonymous',
      ip_address: '192.0.2.1',
      metadata: { count: 10, limited_by: 'network address' },
    });
  });

  it('are summed up in one entry as soon as the minute ends', async () => {
    await start({ denials: { points: 2, seconds: 5_000 } });
    const token = await tokenOf(await world.user(app));
    await askOften(2, token);
    const timers = mock.method(globalThis, 'setTimeout');
    await askOften(3, token);
    const calls = timers.mock.calls.map((call) => call.arguments);
    timers.mock.restore();
    expect(await entries()).toHaveLength(2);
    const ends = calls.filter(([, ms]) => ms! > 4_000_000 && ms! <= 5_000_000);
    expect(ends).toHaveLength(1);
    ends[0]![0](); // as if the time were over
    await eventually('the rest is written', async () => (await entries()).length === 3);
    expect((await entries()).at(-1)!.metadata.count).toBe(3);
  });

  it('end when refused requests reach the rate limit of the admin API', async () => {
    await start({ admin: { points: 10, seconds: 60 } });
    const token = await tokenOf(await world.user(app));
    await askOften(10, token);
    expect(await ask(token)).toBe(429);
    expect(await entries()).toHaveLength(10);
  });

  it('belong to the tenant of the requested app or tenant, otherwise to the caller’s tenant', async () => {
    await start();
    const [theirs, hers] = [await world.tenant(), await world.user(app)];
    const foreign = await world.app(theirs);
    const token = await tokenOf(hers);
    const service_token = await world.serviceToken(app);
    const wanted: [string, string, string | null][] = [
      [`/admin/apps/${foreign.id}/export`, theirs.id, foreign.id],
      [`/admin/tenants/${theirs.id}/admins`, theirs.id, null],
      [`/admin/tenants/${randomUUID()}/admins`, tenant.id, app.id],
      [`/admin/users/${randomUUID()}/rate-limits`, tenant.id, app.id],
      ['/admin/tenants', tenant.id, app.id],
    ];
    for (const [path] of wanted) expect([path, await ask(token, { path })]).toEqual([path, 403]);
    expect(await ask(service_token, { path: `/admin/users/${hers.id}/rate-limits` })).toBe(403);
    const places = (await entries()).map(({ tenant_id, app_id }) => [tenant_id, app_id]);
    expect(places).toEqual([...wanted.map(([, ...place]) => place), [tenant.id, app.id]]);

    const admin = await tokenOf(await world.tenantAdmin(tenant), tenant.consoleAppId);
    const log = await world.call<{ action: string; metadata: object }[]>('GET', '/admin/audit?limit=200', undefined, {
      token: admin,
    });
    const seen = log.body.filter(({ action }) => action === 'access.denied');
    expect(seen).toHaveLength(4);
    for (const id of [theirs.id, foreign.id]) expect(JSON.stringify(seen)).not.toContain(id);
  });
});
