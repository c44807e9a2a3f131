import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { type TestClient, type TestTenant, World } from '../../support/world.js';

// security 82
describe('Switching a tenant off and on', () => {
  let service: SharedTestApp;
  let world: World;

  beforeAll(async () => {
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
  });

  afterAll(() => world.close());

  const turn = (tenant: TestTenant, on: boolean) =>
    world.asAdmin('PATCH', `/admin/tenants/${tenant.id}`, { is_active: on });

  async function activeApps(tenant: TestTenant): Promise<Record<string, boolean>> {
    const apps = await world.asAdmin<{ id: string; is_active: boolean }[]>('GET', `/admin/apps?tenant_id=${tenant.id}`);
    return Object.fromEntries(apps.map((app) => [app.id, app.is_active]));
  }

  async function codeFor(app: TestClient, user: { email: string; password: string }): Promise<string> {
    const browser = new HostedBrowser(service.baseUrl);
    const answer = await browser.signIn(loginPath(app), user.email, user.password);
    return answer.delivered.get('code')!;
  }

  it('stops sign-ins, refreshes, codes, service tokens, access tokens and rights with the next request', async () => {
    const tenant = await world.tenant();
    const app = await world.app(tenant);
    const user = await world.user(app);
    const tokens = await world.tokens(user, app.id);
    const adminToken = (await world.tokens(await world.tenantAdmin(tenant), tenant.consoleAppId)).access_token;
    const appAdminToken = (await world.tokens(await world.user(app, { roles: ['admin'] }), app.id)).access_token;
    const serviceToken = await world.serviceToken(app, 'users:read');
    const code = await codeFor(app, user);
    const credentials = { grant_type: 'client_credentials', client_id: app.id, client_secret: app.secret };
    const bearer = { headers: { Authorization: `Bearer ${tokens.access_token}` } };

    await turn(tenant, false);

    const login = await world.login(user, app.id);
    expect([login.status, login.body.detail]).toEqual([400, 'Invalid app_id']);
    const refreshed = await world.call('POST', '/token/refresh', {
      refresh_token: tokens.refresh_token,
      app_id: app.id,
    });
    expect([refreshed.status, 'access_token' in refreshed.body]).toEqual([401, false]);
    expect((await world.call('POST', '/token/exchange', { code, app_id: app.id })).status).toBe(400);
    expect((await world.call('POST', '/auth/token', credentials)).status).toBe(401);
    expect((await world.call('GET', '/admin/users', undefined, { token: serviceToken })).status).toBe(401);
    expect((await world.call('GET', '/admin/tenants', undefined, { token: adminToken })).status).toBe(401);
    expect((await world.call('GET', '/admin/users', undefined, { token: appAdminToken })).status).toBe(401);
    expect((await world.call('GET', '/userinfo', undefined, bearer)).status).toBe(401);
    const verify = await world.call('POST', '/token/verify', { token: tokens.access_token, audience: app.id });
    expect([verify.status, verify.body['valid']]).toEqual([200, false]);
    const page = await new HostedBrowser(service.baseUrl).get(loginPath(app));
    expect([page.status, page.location]).toEqual([400, null]);
  });

  it('removes the rights of a tenant admin who is signed in at the platform Console', async () => {
    const tenant = await world.tenant();
    const admin = await world.tenantAdmin(tenant);
    const other = await world.tenant();
    await world.asAdmin('PUT', `/admin/users/${admin.id}/roles`, { app_id: other.consoleAppId, roles: ['user'] });
    const { access_token } = await world.tokens(admin, world.platformConsoleId);
    await turn(tenant, false);
    const list = await world.call<{ id: string }[]>('GET', '/admin/tenants', undefined, { token: access_token });
    expect(list.body.map(({ id }) => id)).toEqual([other.id]);
  });

  it('restores the apps that it had switched off, and no others', async () => {
    const tenant = await world.tenant();
    const [running, stopped] = [await world.app(tenant), await world.app(tenant)];
    await world.asAdmin('PUT', `/admin/apps/${stopped.id}`, { is_active: false });
    await turn(tenant, false);
    expect(await activeApps(tenant)).toEqual({
      [running.id]: false,
      [stopped.id]: false,
      [tenant.consoleAppId]: false,
    });
    await turn(tenant, true);
    expect(await activeApps(tenant)).toEqual({ [running.id]: true, [stopped.id]: false, [tenant.consoleAppId]: true });
  });

  it('changes nothing the second time', async () => {
    const tenant = await world.tenant();
    const [running, stopped] = [await world.app(tenant), await world.app(tenant)];
    await turn(tenant, false);
    await world.asAdmin('PUT', `/admin/apps/${stopped.id}`, { is_active: false });
    await turn(tenant, false);
    await turn(tenant, true);
    expect(await activeApps(tenant)).toMatchObject({ [running.id]: true, [stopped.id]: false });
    await turn(tenant, true);
    expect(await activeApps(tenant)).toMatchObject({ [running.id]: true, [stopped.id]: false });
  });

  it('keeps users, refresh tokens and settings unchanged', async () => {
    const tenant = await world.tenant();
    const app = await world.app(tenant);
    const user = await world.user(app, { roles: ['manager'] });
    const tokens = await world.tokens(user, app.id);
    await turn(tenant, false);
    await turn(tenant, true);
    expect((await world.login(user, app.id)).status).toBe(200);
    const refreshed = await world.call('POST', '/token/refresh', {
      refresh_token: tokens.refresh_token,
      app_id: app.id,
    });
    expect(refreshed.status).toBe(200);
    const verify = await world.call('POST', '/token/verify', { token: tokens.access_token, audience: app.id });
    expect(verify.body).toMatchObject({ valid: true, claims: { roles: ['user', 'manager'] } });
    expect(await world.serviceToken(app, 'push:send')).toMatch(/^ey/);
  });

  it('does not affect other tenants', async () => {
    const [tenant, other] = [await world.tenant(), await world.tenant()];
    const app = await world.app(other);
    const user = await world.user(app);
    await turn(tenant, false);
    expect((await world.login(user, app.id)).status).toBe(200);
    expect(await activeApps(other)).toEqual({ [app.id]: true, [other.consoleAppId]: true });
  });

  it('keeps new apps of an inactive tenant off until the tenant is on', async () => {
    const tenant = await world.tenant({ is_active: false });
    const app = await world.app(tenant);
    expect(await activeApps(tenant)).toEqual({ [app.id]: false, [tenant.consoleAppId]: false });
    await turn(tenant, true);
    expect(await activeApps(tenant)).toEqual({ [app.id]: true, [tenant.consoleAppId]: true });
  });
});
