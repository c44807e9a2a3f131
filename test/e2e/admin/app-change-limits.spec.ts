import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type TestClient, type TestTenant, unique, World } from '../../support/world.js';

const HOUR = { seconds: 3_600 };
const WRITES = { service_scopes: ['apps:write'] };

/** Each change writes an audit entry, which cannot be deleted. */
describe('Changes of an app', () => {
  let service: TestApp;
  let world: World;

  beforeAll(async () => {
    const overrides = { app_changes: { points: 2, ...HOUR } };
    service = await startTestApp({ settings: { rateLimits: { enabled: true, overrides } } });
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
  });

  const appAdmin = async (app: TestClient) => {
    const user = await world.user(app, { roles: ['user', 'admin'] });
    return (await world.tokens(user, app.id)).access_token;
  };
  const tenantAdmin = async (tenant: TestTenant) =>
    (await world.tokens(await world.tenantAdmin(tenant), tenant.consoleAppId)).access_token;
  const rename = async ({ id }: { id: string }, token: string) => {
    const answer = await world.call('PUT', `/admin/apps/${id}`, { name: unique() }, { token });
    return answer.status;
  };
  const renameTenant = async ({ id }: TestTenant, token: string) =>
    (await world.call('PATCH', `/admin/tenants/${id}`, { name: unique() }, { token })).status;

  it('are limited for all its admins and servers together, and not for other apps', async () => {
    const tenant = await world.tenant();
    const [app, other] = [await world.app(tenant), await world.app(tenant, WRITES)];
    const server = await world.serviceToken(other, 'apps:write');
    expect(await rename(app, await appAdmin(app))).toBe(200);
    expect(await rename(app, server)).toBe(200);
    const token = await appAdmin(app);
    const refused = await world.call('PUT', `/admin/apps/${app.id}`, { name: 'x' }, { token });
    expect([refused.status, refused.body]).toEqual([429, { detail: 'too_many_requests' }]);
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(3_000);
    expect(await rename(app, server)).toBe(429);
    expect(await rename(other, server)).toBe(200);
    const log = await world.asAdmin<unknown[]>('GET', `/admin/audit?app_id=${app.id}&action=app.updated`);
    expect(log).toHaveLength(2);
  });

  it.each([
    ['the archive', 'POST', 'archive'],
    ['the secret', 'POST', 'regenerate-secret'],
    ['the logo', 'DELETE', 'logo'],
  ])('include %s', async (_, method, path) => {
    const tenant = await world.tenant();
    const app = await world.app(tenant);
    const token = await tenantAdmin(tenant);
    for (let n = 0; n < 2; n++) await rename(app, token);
    const answer = await world.call(method, `/admin/apps/${app.id}/${path}`, undefined, { token });
    expect(answer.status).toBe(429);
  });

  it('include push', async () => {
    const app = await world.app(await world.tenant());
    const token = await appAdmin(app);
    for (let n = 0; n < 2; n++) await rename(app, token);
    expect((await world.call('PATCH', `/push/config/${app.id}`, { daily_quota: 1 }, { token })).status).toBe(429);
  });

  const unchanging: [string, string, (id: string) => string][] = [
    ['a test event', 'POST', (id) => `/push/config/${id}/webhook-test`],
    ['a webhook message that is sent again', 'POST', (id) => `/push/webhooks/${id}/${randomUUID()}/replay`],
    ['failed webhook messages that are sent again', 'POST', (id) => `/push/webhooks/${id}/replay-failed`],
    ['an export', 'GET', (id) => `/admin/apps/${id}/export`],
  ];
  it.each(unchanging)('include %s, except by platform admins', async (_, method, path) => {
    const app = await world.app(await world.tenant());
    const call = async (token: string) =>
      (await world.call<{ detail?: unknown }>(method, path(app.id), undefined, { token })).body.detail;
    const token = await appAdmin(app);
    for (let n = 0; n < 2; n++) expect(await call(token)).not.toBe('too_many_requests');
    expect(await call(token)).toBe('too_many_requests');
    expect(await rename(app, token)).toBe(429);
    expect(await call(world.admin.token)).not.toBe('too_many_requests');
  });

  it('include an export of the tenant', async () => {
    const tenant = await world.tenant();
    const token = await tenantAdmin(tenant);
    const path = `/admin/tenants/${tenant.id}/export`;
    for (const status of [200, 200, 429])
      expect((await world.call('GET', path, undefined, { token })).status).toBe(status);
    expect((await world.call('GET', `${path}?include_users=true`, undefined, { token })).status).toBe(200);
  });

  it('by admins of the tenant are counted separately, and those by platform admins not at all', async () => {
    const tenant = await world.tenant();
    const app = await world.app(tenant);
    const [below, above] = [await appAdmin(app), await tenantAdmin(tenant)];
    for (const status of [200, 200, 429]) expect(await rename(app, below)).toBe(status);
    for (const status of [200, 200, 429]) expect(await rename(app, above)).toBe(status);
    for (let n = 0; n < 3; n++) expect(await rename(app, world.admin.token)).toBe(200);
    for (const status of [200, 200, 429]) expect(await renameTenant(tenant, above)).toBe(status);
    expect(await renameTenant(tenant, world.admin.token)).toBe(200);
  });

  it('have ten times the limit for all apps of a tenant together', async () => {
    const tenant = await world.tenant();
    const apps: TestClient[] = [];
    for (let n = 0; n < 11; n++) apps.push(await world.app(tenant, WRITES));
    const server = await world.serviceToken(apps[0]!, 'apps:write');
    for (const app of apps.slice(0, 10)) for (let n = 0; n < 2; n++) expect(await rename(app, server)).toBe(200);
    expect(await rename(apps[10]!, server)).toBe(429);
    expect(await rename(apps[10]!, await tenantAdmin(tenant))).toBe(200);
  });

  it('by callers without authority are not counted', async () => {
    const tenant = await world.tenant();
    const app = await world.app(tenant);
    const foreign = await world.tenant();
    const strangers = [
      await tenantAdmin(foreign),
      await world.serviceToken(await world.app(foreign, WRITES), 'apps:write'),
    ];
    for (const token of strangers) {
      for (let n = 0; n < 3; n++) expect(await rename(app, token)).toBe(403);
      for (let n = 0; n < 3; n++) expect(await renameTenant(tenant, token)).toBe(403);
    }
    expect(await rename(app, await appAdmin(app))).toBe(200);
    expect(await renameTenant(tenant, await tenantAdmin(tenant))).toBe(200);
  });
});
