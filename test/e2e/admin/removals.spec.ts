import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { type TestUser, type TestClient, type TestTenant, type Tokens, World } from '../../support/world.js';

describe('Removal of a user from an app', () => {
  let service: SharedTestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;
  /** The token of an admin of the app. */
  let token: string;

  beforeAll(async () => {
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    tenant = await world.tenant();
    app = await world.app(tenant);
    token = (await world.tokens(await world.user(app, { roles: ['admin'] }), app.id)).access_token;
  });

  afterAll(() => world.close());

  const send = (method: string, path: string, body?: unknown, as = token) =>
    world.call(method, path, body, { token: as });
  const remove = (id: string, at = app.id, as = token) =>
    send('DELETE', `/admin/users/${id}/apps/${at}`, undefined, as);
  const enrolled = async (id: string) =>
    (await world.sql<{ app_id: string }>('SELECT app_id FROM enrollments WHERE user_id = $1', [id])).map(
      (row) => row.app_id,
    );
  const refresh = async ({ refresh_token }: Tokens, app_id = app.id) =>
    (await world.call('POST', '/token/refresh', { refresh_token, app_id })).status;
  const userinfo = async ({ access_token }: Tokens) =>
    (await world.call('GET', '/userinfo', undefined, { token: access_token })).status;

  it.each<[string, (id: string) => [string, string, unknown?]]>([
    ['by its own route', (id) => ['DELETE', `/admin/users/${id}/apps/${app.id}`]],
    ['with app_id in the body', (id) => ['DELETE', `/admin/users/${id}`, { app_id: app.id.toUpperCase() }]],
    ['with app_id in the query', (id) => ['DELETE', `/admin/users/${id}?app_id=${app.id}`]],
  ])('%s keeps the account and the user’s other apps', async (_, request) => {
    const sibling = await world.app(tenant);
    const user = await world.user(app, { roles: ['manager'] });
    await world.asAdmin('PUT', `/admin/users/${user.id}/roles`, { app_id: sibling.id, roles: [] });
    const answer = await send(...request(user.id));
    expect([answer.status, answer.body]).toEqual([200, { status: 'ok' }]);
    expect(await enrolled(user.id)).toEqual([sibling.id]);
    expect((await world.login(user, sibling.id)).status).toBe(200);
    const [entry] = await world.sql(
      `SELECT tenant_id, app_id, metadata FROM audit_entries WHERE user_id = $1 AND action = 'enrollment.removed'`,
      [user.id],
    );
    const metadata = { roles: ['user', 'manager'], status: 'active' };
    expect(entry).toEqual({ tenant_id: tenant.id, app_id: app.id, metadata });
  });

  it('takes effect at once for sign-in, refresh, userinfo, /token/verify and the admin API', async () => {
    const user = await world.user(app, { roles: ['admin'] });
    const tokens = await world.tokens(user, app.id);
    expect([
      await userinfo(tokens),
      (await send('GET', '/admin/users', undefined, tokens.access_token)).status,
    ]).toEqual([200, 200]);
    expect((await remove(user.id)).status).toBe(200);
    expect(await userinfo(tokens)).toBe(401);
    expect((await send('GET', '/admin/users', undefined, tokens.access_token)).status).toBe(401);
    expect(await refresh(tokens)).toBe(401);
    const verified = await world.call('POST', '/token/verify', { token: tokens.access_token, audience: app.id });
    expect(verified.body).toEqual({ valid: false, error: 'User not enrolled' });
    const login = await world.login(user, app.id);
    expect([login.status, login.body.detail]).toEqual([403, 'You do not have access']);
  });

  it('takes effect at once for the SSO session, which stays valid for other apps', async () => {
    const sibling = await world.app(tenant);
    const user = await world.user(app);
    await world.asAdmin('PUT', `/admin/users/${user.id}/roles`, { app_id: sibling.id, roles: [] });
    const browser = new HostedBrowser(world.baseUrl);
    await browser.signIn(loginPath(app), user.email, user.password);
    expect((await browser.get(loginPath(app))).delivered.get('code')).toBeTruthy();
    await remove(user.id);
    const page = await browser.get(loginPath(app));
    expect([page.status, page.location]).toEqual([200, null]);
    expect(page.body).toContain(user.email);
    expect((await browser.get(loginPath(sibling))).delivered.get('code')).toBeTruthy();
  });

  it('makes authorization codes issued before invalid', async () => {
    const user = await world.user(app);
    const browser = new HostedBrowser(world.baseUrl);
    const code = (await browser.signIn(loginPath(app), user.email, user.password)).delivered.get('code');
    await remove(user.id);
    const answer = await world.call('POST', '/token/exchange', { code, app_id: app.id, client_secret: app.secret });
    expect(answer.status).toBe(400);
  });

  it('keeps old tokens invalid after the user is enrolled again', async () => {
    const user = await world.user(app);
    const tokens = await world.tokens(user, app.id);
    // Token times are whole seconds: a token issued in the second of the removal stays valid.
    await sleep(1_100);
    await remove(user.id);
    await world.asAdmin('PUT', `/admin/users/${user.id}/roles`, { app_id: app.id, roles: [] });
    expect(await userinfo(tokens)).toBe(401);
    expect(await refresh(tokens)).toBe(401);
    const fresh = await world.tokens(user, app.id);
    expect([await userinfo(fresh), await refresh(fresh)]).toEqual([200, 200]);
  });

  it('also removes pending and suspended enrollments', async () => {
    for (const status of ['pending', 'suspended']) {
      const { id } = await world.user(app);
      await world.sql('UPDATE enrollments SET status = $2 WHERE user_id = $1', [id, status]);
      expect((await remove(id)).status).toBe(200);
      expect(await enrolled(id)).toEqual([]);
    }
  });

  it('returns 404 for a user who is not enrolled', async () => {
    const sibling = await world.app(tenant);
    const { id } = await world.user(app);
    const absent = await remove(id, sibling.id, world.admin.token);
    expect([absent.status, absent.body]).toEqual([404, { detail: 'Enrollment not found' }]);
    expect((await remove(id)).status).toBe(200);
    // The app's admin can no longer see the user at all.
    const gone = await remove(id);
    expect([gone.status, gone.body]).toEqual([404, { detail: 'User not found' }]);
  });

  // security 76
  it('returns 404 or 403 for users and apps that the caller does not administer', async () => {
    const elsewhere = await world.app(await world.tenant());
    const stranger = await world.user(elsewhere);
    expect((await remove(stranger.id)).body).toEqual({ detail: 'User not found' });
    for (const path of [`/admin/users/${stranger.id}/apps/${elsewhere.id}`, `/admin/users/${stranger.id}`]) {
      const body = path.includes('/apps/') ? undefined : { app_id: elsewhere.id };
      expect((await send('DELETE', path, body)).status).toBe(403);
    }
    expect(await enrolled(stranger.id)).toEqual([elsewhere.id]);
  });

  // security 80
  it('from a Console app requires rights over its tenant', async () => {
    const admin = await world.tenantAdmin(tenant);
    const other = await world.tenantAdmin(tenant);
    const ownToken = (await world.tokens(admin, tenant.consoleAppId)).access_token;
    expect((await remove(other.id, tenant.consoleAppId)).status).toBe(403);
    const stranger = await world.tenantAdmin(await world.tenant());
    const foreign = (await world.login(stranger, tenant.consoleAppId)).status;
    expect(foreign).toBe(403);
    expect((await remove(other.id, tenant.consoleAppId, ownToken)).status).toBe(200);
  });

  // security 81
  it('returns 400 for the caller’s own enrollment, in any form of the request', async () => {
    const admin = await world.tenantAdmin(tenant);
    const own = (await world.tokens(admin, tenant.consoleAppId)).access_token;
    for (const answer of [
      await remove(admin.id, tenant.consoleAppId, own),
      await send('DELETE', `/admin/users/${admin.id}`, { app_id: tenant.consoleAppId }, own),
      await send('DELETE', `/admin/users/${admin.id.toUpperCase()}?app_id=${tenant.consoleAppId}`, undefined, own),
    ])
      expect([answer.status, answer.body]).toEqual([400, { detail: 'You cannot remove yourself' }]);
    expect(await enrolled(admin.id)).toEqual([tenant.consoleAppId]);
  });

  it('returns 400 for two different app ids in query and body', async () => {
    const { id } = await world.user(app);
    const sibling = await world.app(tenant);
    const answer = await send('DELETE', `/admin/users/${id}?app_id=${sibling.id}`, { app_id: app.id });
    expect([answer.status, answer.body]).toEqual([400, { detail: 'Conflicting app_id' }]);
    expect(await enrolled(id)).toEqual([app.id]);
  });

  it('succeeds once for parallel requests', async () => {
    for (let round = 0; round < 4; round++) {
      const user: TestUser = await world.user(app);
      const answers = await Promise.all([remove(user.id), remove(user.id), remove(user.id)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
    }
  });
});
