import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CuttableProxy } from '../../support/cuttable-proxy.js';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { type ServiceProcess, startProcess } from '../../support/service-process.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { eventually } from '../../support/wait.js';
import { type TestTenant, World } from '../../support/world.js';

// security 72, 82
describe('Switching off in one of two processes', () => {
  let database: TestDatabase;
  /** The proxy between the other process and the database. */
  let proxy: CuttableProxy;
  let processes: [ServiceProcess, ServiceProcess];
  /** The process that switches. */
  let here: World;
  /** The other process. */
  let there: World;

  beforeAll(async () => {
    database = await freshDatabase();
    proxy = await CuttableProxy.before(database.url);
    const start = (DATABASE_URL: string) =>
      startProcess('dist/main.js', { DATABASE_URL, LOG_LEVEL: 'warn', RATE_LIMITS: 'off' });
    processes = await Promise.all([start(database.url), start(proxy.through(database.url))]);
    here = await World.open(processes[0].baseUrl, database.url);
    there = await World.open(processes[1].baseUrl, database.url);
  });

  afterAll(async () => {
    await here?.close();
    await there?.close();
    await Promise.all((processes ?? []).map((each) => each.kill()));
    await proxy?.cut();
    await database.drop();
  });

  const turn = (tenant: TestTenant, on: boolean) =>
    here.asAdmin('PATCH', `/admin/tenants/${tenant.id}`, { is_active: on });

  /** Every kind of token and code of a tenant, created and used in the other process. */
  async function setUp() {
    const tenant = await here.tenant();
    const app = await here.app(tenant);
    const user = await here.user(app);
    const tokens = await there.tokens(user, app.id);
    const adminToken = (await there.tokens(await here.tenantAdmin(tenant), tenant.consoleAppId)).access_token;
    const appAdminToken = (await there.tokens(await here.user(app, { roles: ['admin'] }), app.id)).access_token;
    const serviceToken = await there.serviceToken(app, 'users:read');
    const browser = new HostedBrowser(there.baseUrl);
    const code = (await browser.signIn(loginPath(app), user.email, user.password)).delivered.get('code')!;
    for (const token of [adminToken, appAdminToken, serviceToken])
      expect((await there.call('GET', '/admin/users', undefined, { token })).status).toBe(200);
    return { tenant, app, user, tokens, adminToken, appAdminToken, serviceToken, code };
  }

  type Fixture = Awaited<ReturnType<typeof setUp>>;

  /** Sends all requests in parallel, because the proxy holds notifications only briefly. */
  async function tryAll({ tenant, app, user, tokens, adminToken, appAdminToken, serviceToken, code }: Fixture) {
    const { refresh_token } = tokens;
    const credentials = { grant_type: 'client_credentials', client_id: app.id, client_secret: app.secret };
    const users = (token: string) => there.call('GET', '/admin/users', undefined, { token });
    const answers = await Promise.all([
      there.login(user, app.id),
      there.login(user, tenant.consoleAppId),
      there.call('POST', '/token/refresh', { refresh_token, app_id: app.id }),
      there.call('POST', '/token/exchange', { code, app_id: app.id }),
      there.call('POST', '/auth/token', credentials),
      users(adminToken),
      users(appAdminToken),
      users(serviceToken),
    ]);
    return answers.map(({ status }) => status);
  }

  it('a tenant takes effect in the other process with the next request, even without a notification', async () => {
    for (let round = 0; round < 3; round++) {
      const prepared = await setUp();
      proxy.holdNotifications();
      try {
        await turn(prepared.tenant, false);
        expect(await tryAll(prepared)).toEqual([400, 400, 401, 400, 401, 401, 401, 401]);
      } finally {
        proxy.releaseNotifications();
      }
      await turn(prepared.tenant, true);
      await eventually('it is back', async () => (await there.login(prepared.user, prepared.app.id)).status === 200);
      const { refresh_token } = prepared.tokens;
      const refreshed = await there.call('POST', '/token/refresh', { refresh_token, app_id: prepared.app.id });
      expect(refreshed.status).toBe(200);
      expect(await there.serviceToken(prepared.app, 'users:read')).toMatch(/^ey/);
    }
  });

  it('an app takes effect in the other process with the next request, even without a notification', async () => {
    const prepared = await setUp();
    proxy.holdNotifications();
    try {
      await here.asAdmin('PUT', `/admin/apps/${prepared.app.id}`, { is_active: false });
      const statuses = await tryAll(prepared);
      // The Console stays on, where this user has no rights; the tenant’s admin keeps their rights.
      expect(statuses).toEqual([400, 403, 401, 400, 401, 200, 401, 401]);
    } finally {
      proxy.releaseNotifications();
    }
  });

  it('a tenant switched off by its row alone ends service tokens at once, even without a notification', async () => {
    const tenant = await here.tenant();
    const app = await here.app(tenant);
    const token = await there.serviceToken(app, 'users:read');
    const users = () => there.call('GET', '/admin/users', undefined, { token });
    expect((await users()).status).toBe(200);
    proxy.holdNotifications();
    try {
      await here.sql('UPDATE tenants SET is_active = false WHERE id = $1', [tenant.id]);
      // A reading of the row serves for 20 ms; only changes by the service wait for its end.
      await eventually('the tokens have ended', async () => (await users()).status === 401);
    } finally {
      proxy.releaseNotifications();
    }
  });

  it('a scope takes effect in the other process with the next request, even without a notification', async () => {
    const app = await here.app(await here.tenant());
    const token = await there.serviceToken(app, 'users:read');
    const users = () => there.call('GET', '/admin/users', undefined, { token });
    expect((await users()).status).toBe(200);
    proxy.holdNotifications();
    try {
      await here.asAdmin('PUT', `/admin/apps/${app.id}`, { service_scopes: ['push:send'] });
      const answer = await users();
      expect([answer.status, answer.body]).toEqual([403, { detail: 'Missing required scope' }]);
      const asked = { grant_type: 'client_credentials', client_id: app.id, client_secret: app.secret };
      const again = await there.call('POST', '/auth/token', { ...asked, scope: 'users:read' });
      expect([again.status, again.body['detail']]).toEqual([400, 'invalid_scope: users:read']);
    } finally {
      proxy.releaseNotifications();
    }
  });
});
