import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { databaseFingerprint } from '../../support/database-fingerprint.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { PASSWORD, type TestUser, type TestClient, type TestTenant, unique, World } from '../../support/world.js';

describe('Rights in the admin API', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;

  beforeAll(async () => {
    database = await freshDatabase();
    service = await startTestApp({ settings: { databaseUrl: database.url } });
    world = await World.open(service.baseUrl, database.url);
    tenant = await world.tenant();
    app = await world.app(tenant);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  const status = async (token: string, path: string) => (await world.call('GET', path, undefined, { token })).status;
  const tokenOf = async (user: TestUser, appId: string) => (await world.tokens(user, appId)).access_token;
  const setRoles = (user: TestUser, appId: string, roles: string[]) =>
    world.asAdmin('PUT', `/admin/users/${user.id}/roles`, { app_id: appId, roles });
  const suspend = (user: TestUser, appId: string) =>
    world.asAdmin('POST', `/admin/users/${user.id}/suspend`, { app_id: appId });

  /** Expects 403 for the token at every kind of route, and no change. */
  async function expectPowerless(token: string): Promise<void> {
    const before = await databaseFingerprint(world);
    const victim = (await world.sql<{ id: string }>('SELECT id FROM users LIMIT 1'))[0]!.id;
    for (const [method, path, body] of [
      ['GET', '/admin/tenants', undefined],
      ['POST', '/admin/tenants', { name: 'Taken over' }],
      ['PATCH', `/admin/tenants/${tenant.id}`, { name: 'Taken over' }],
      ['GET', '/admin/apps', undefined],
      ['POST', '/admin/apps', { name: 'x', tenant_id: tenant.id, bundle_id: `com.example.${unique()}` }],
      ['PUT', `/admin/apps/${app.id}`, { name: 'Taken over' }],
      ['POST', `/admin/apps/${app.id}/regenerate-secret`, undefined],
      ['GET', '/admin/users', undefined],
      ['POST', '/admin/users', { email: `x-${unique()}@example.com`, display_name: 'x', is_platform_admin: true }],
      ['GET', '/admin/users/search', undefined],
      ['GET', `/admin/users/${victim}/detail`, undefined],
      ['PUT', `/admin/users/${victim}/roles`, { app_id: app.id, roles: ['admin'] }],
      ['POST', `/admin/users/${victim}/suspend`, { app_id: app.id }],
      ['GET', '/admin/audit', undefined],
    ] as const) {
      const answer = await world.call(method, path, body, { token });
      expect([method, path, answer.status, answer.body]).toEqual([
        method,
        path,
        403,
        { detail: 'Insufficient permissions' },
      ]);
    }
    expect(await databaseFingerprint(world)).toEqual(before);
  }

  // security 60
  it('of a platform admin do not apply to a token for a customer’s app', async () => {
    const root = await world.user(app, { is_platform_admin: true });
    expect(await status(await tokenOf(root, world.platformConsoleId), '/admin/tenants')).toBe(200);
    await expectPowerless(await tokenOf(root, app.id));
  });

  // security 60
  it('of a tenant admin do not apply to a token for an app of the tenant', async () => {
    const admin = await world.tenantAdmin(tenant);
    await setRoles(admin, app.id, ['user']);
    expect(await status(await tokenOf(admin, tenant.consoleAppId), '/admin/tenants')).toBe(200);
    await expectPowerless(await tokenOf(admin, app.id));
  });

  // security 60
  it('of an app admin apply to tokens for that app and for a Console, and not to tokens for other apps', async () => {
    const foreign = await world.app(await world.tenant());
    const sibling = await world.app(tenant);
    const admin = await world.user(app, { roles: ['admin'] });
    await setRoles(admin, foreign.id, ['user']);
    await setRoles(admin, sibling.id, ['user']);
    await expectPowerless(await tokenOf(admin, foreign.id));
    await expectPowerless(await tokenOf(admin, sibling.id));
    for (const audience of [app.id, world.platformConsoleId])
      expect(await status(await tokenOf(admin, audience), `/admin/users?app_id=${app.id}`)).toBe(200);
  });

  // security 60
  it('over one app do not apply to another app with the same role', async () => {
    const sibling = await world.app(tenant);
    const admin = await world.user(app, { roles: ['admin'] });
    await setRoles(admin, sibling.id, ['admin']);
    const token = await tokenOf(admin, app.id);
    expect(await status(token, `/admin/users?app_id=${app.id}`)).toBe(200);
    expect(await status(token, `/admin/users?app_id=${sibling.id}`)).toBe(403);
    const put = await world.call('PUT', `/admin/apps/${sibling.id}`, { name: 'x' }, { token });
    expect(put.status).toBe(403);
  });

  // security 59
  it('end with the demotion of a platform admin, on the next request', async () => {
    const root = await world.user(app, { is_platform_admin: true });
    const token = await tokenOf(root, world.platformConsoleId);
    expect(await status(token, '/admin/tenants')).toBe(200);
    await world.sql('UPDATE users SET is_platform_admin = false WHERE id = $1', [root.id]);
    expect(await status(token, '/admin/tenants')).toBe(401); // the Console no longer admits them
    await world.sql('UPDATE users SET is_platform_admin = true WHERE id = $1', [root.id]);
    expect(await status(token, '/admin/tenants')).toBe(200);
  });

  // security 59
  it('end with the removal of the role, on the next request', async () => {
    const admin = await world.user(app, { roles: ['admin'] });
    const token = await tokenOf(admin, app.id);
    expect(await status(token, '/admin/users')).toBe(200);
    await setRoles(admin, app.id, ['manager']);
    expect(await status(token, '/admin/users')).toBe(403);
    expect(await status(token, '/admin/apps')).toBe(200);
    await setRoles(admin, app.id, ['user']);
    expect(await status(token, '/admin/apps')).toBe(403);
    await setRoles(admin, app.id, ['admin']);
    expect(await status(token, '/admin/users')).toBe(200);
  });

  // security 59
  it('end with the suspension in the app or the Console, on the next request', async () => {
    const appAdmin = await world.user(app, { roles: ['admin'] });
    const tenantAdmin = await world.tenantAdmin(tenant);
    const tokens = [await tokenOf(appAdmin, app.id), await tokenOf(tenantAdmin, tenant.consoleAppId)];
    for (const token of tokens) expect(await status(token, '/admin/users')).toBe(200);
    await suspend(appAdmin, app.id);
    await suspend(tenantAdmin, tenant.consoleAppId);
    for (const token of tokens) expect(await status(token, '/admin/users')).toBe(401);
  });

  // security 59
  it('at the platform Console shrink with the remaining roles', async () => {
    const other = await world.tenant();
    const admin = await world.tenantAdmin(tenant);
    await setRoles(admin, other.consoleAppId, ['user']);
    const token = await tokenOf(admin, world.platformConsoleId);
    await suspend(admin, tenant.consoleAppId);
    const list = await world.call<{ id: string }[]>('GET', '/admin/tenants', undefined, { token });
    expect(list.body.map(({ id }) => id)).toEqual([other.id]);
    await suspend(admin, other.consoleAppId);
    expect(await status(token, '/admin/tenants')).toBe(401);
  });

  // security 59
  it('of a service token shrink with the scopes of its app, and end with the app', async () => {
    const own = await world.app(tenant, { service_scopes: ['users:read', 'apps:read'] });
    const token = await world.serviceToken(own);
    expect([await status(token, '/admin/users'), await status(token, '/admin/apps')]).toEqual([200, 200]);
    await world.asAdmin('PUT', `/admin/apps/${own.id}`, { service_scopes: ['users:read'] });
    expect([await status(token, '/admin/users'), await status(token, '/admin/apps')]).toEqual([200, 403]);
    await world.asAdmin('PUT', `/admin/apps/${own.id}`, { is_active: false });
    expect(await status(token, '/admin/users')).toBe(401);
  });

  it('end with the deactivation or deletion of the account', async () => {
    const admin = await world.user(app, { roles: ['admin'] });
    const token = await tokenOf(admin, app.id);
    await world.sql('UPDATE users SET is_active = false WHERE id = $1', [admin.id]);
    expect(await status(token, '/admin/users')).toBe(401);
    await world.sql('DELETE FROM users WHERE id = $1', [admin.id]);
    expect(await status(token, '/admin/users')).toBe(401);
  });

  // security 74
  it('of a service token do not include /userinfo and verification as a user’s token', async () => {
    const token = await world.serviceToken(app);
    const userinfo = await world.call('GET', '/userinfo', undefined, { token });
    expect(userinfo.status).toBe(403);
    const verify = await world.call('POST', '/token/verify', { token, audience: app.id });
    expect(verify.body).toEqual({ valid: false, error: 'Invalid token type' });
    expect(await world.sql('SELECT id FROM users WHERE id = $1', [app.id])).toEqual([]);
  });

  it('of an app admin do not include regenerating a secret with scopes of the whole tenant', async () => {
    const wide = await world.app(tenant, { service_scopes: ['apps:write'] });
    const admin = await world.user(wide, { roles: ['admin'] });
    const token = await tokenOf(admin, wide.id);
    for (const [method, path] of [
      ['POST', 'regenerate-secret'],
      ['PUT', 'secret'],
    ] as const)
      expect((await world.call(method, `/admin/apps/${wide.id}/${path}`, undefined, { token })).status).toBe(403);
    expect((await world.call('PUT', `/admin/apps/${wide.id}`, { name: 'Mine' }, { token })).status).toBe(200);
    const scopes = await world.call('PUT', `/admin/apps/${wide.id}`, { service_scopes: [] }, { token });
    expect(scopes.status).toBe(403);
  });

  it('require the token in the Authorization header, not in the query, a form or a cookie', async () => {
    const { token } = world.admin;
    expect(await status('', `/admin/tenants?access_token=${token}`)).toBe(401);
    const form = await fetch(`${service.baseUrl}/admin/tenants`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ access_token: token, name: 'By form' }).toString(),
    });
    expect(form.status).toBe(401);
    const login = await world.login({ ...world.admin, password: PASSWORD }, world.platformConsoleId);
    const cookie = login.headers.getSetCookie()[0]!.split(';')[0]!;
    expect((await world.call('GET', '/admin/tenants', undefined, { headers: { Cookie: cookie } })).status).toBe(401);
  });
});
