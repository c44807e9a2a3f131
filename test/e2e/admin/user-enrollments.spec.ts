import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { type TestClient, type TestTenant, World } from '../../support/world.js';

describe('Roles, suspension and reactivation in the admin API', () => {
  let service: SharedTestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;
  let appAdmin: string;

  beforeAll(async () => {
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    tenant = await world.tenant();
    app = await world.app(tenant, { config: { available_roles: ['user', 'manager', 'admin', 'editor'] } });
    appAdmin = (await world.tokens(await world.user(app, { roles: ['admin'] }), app.id)).access_token;
  });

  afterAll(() => world.close());

  const send = (method: string, path: string, body?: unknown, token = appAdmin) =>
    world.call(method, path, body, { token });
  const setRoles = (userId: string, roles: unknown, token = appAdmin, app_id = app.id) =>
    send('PUT', `/admin/users/${userId}/roles`, { app_id, roles }, token);
  /** Suspends in `app`, with app_id in the body unless another body is given (which may be undefined). */
  const suspend = (userId: string, query = '', ...body: unknown[]) =>
    send('POST', `/admin/users/${userId}/suspend${query}`, body.length > 0 ? body[0] : { app_id: app.id });

  it('replace the roles and always keep user, at both routes', async () => {
    const { id } = await world.user(app, { roles: ['manager'] });
    const put = await setRoles(id, ['editor']);
    expect([put.status, put.body]).toEqual([200, { user_id: id, app_id: app.id, roles: ['user', 'editor'] }]);
    const post = await send('POST', '/admin/users/roles', { user_id: id, app_id: app.id, roles: [] });
    expect([post.status, post.body]).toEqual([200, { user_id: id, app_id: app.id, roles: ['user'] }]);
    const twice = await setRoles(id, ['editor', 'editor', 'user']);
    expect(twice.body['roles']).toEqual(['user', 'editor']);
  });

  it('return 422 for a role that the app does not offer', async () => {
    const { id } = await world.user(app);
    const answer = await setRoles(id, ['editor', 'emperor']);
    expect([answer.status, answer.body]).toEqual([
      422,
      { detail: [{ loc: ['body', 'roles', 1], msg: expect.any(String), type: 'enum' }] },
    ]);
    for (const roles of ['editor', null, [null], [['editor']], {}, undefined, ['x'.repeat(65)]])
      expect([roles, (await setRoles(id, roles)).status]).toEqual([roles, 422]);
  });

  it('enroll a user whom the caller can see in another app', async () => {
    const sibling = await world.app(tenant);
    const { id } = await world.user(app);
    const tenantAdmin = (await world.tokens(await world.tenantAdmin(tenant), tenant.consoleAppId)).access_token;
    const answer = await setRoles(id, ['manager'], tenantAdmin, sibling.id);
    expect([answer.status, answer.body['roles']]).toEqual([200, ['user', 'manager']]);
    const [row] = await world.sql('SELECT roles, status FROM enrollments WHERE user_id = $1 AND app_id = $2', [
      id,
      sibling.id,
    ]);
    expect(row).toEqual({ roles: ['user', 'manager'], status: 'active' });
  });

  // security 76
  it('return 404 for a user whom the caller cannot see', async () => {
    const stranger = await world.user(await world.app(await world.tenant()));
    for (const id of [stranger.id, '00000000-0000-4000-8000-000000000000']) {
      for (const answer of [
        await setRoles(id, ['user']),
        await suspend(id),
        await send('PUT', `/admin/users/${id}/apps/${app.id}/reactivate`),
      ])
        expect([answer.status, answer.body]).toEqual([404, { detail: 'User not found' }]);
    }
  });

  // security 80
  it('give an enrollment in a Console app only to callers with rights over its tenant', async () => {
    const { id } = await world.user(app);
    expect((await setRoles(id, ['user'], appAdmin, tenant.consoleAppId)).status).toBe(403);
    const tenantAdmin = (await world.tokens(await world.tenantAdmin(tenant), tenant.consoleAppId)).access_token;
    expect((await setRoles(id, ['user'], tenantAdmin, world.platformConsoleId)).status).toBe(403);
    const other = await world.tenant();
    expect((await setRoles(id, ['user'], tenantAdmin, other.consoleAppId)).status).toBe(403);
    expect((await setRoles(id, ['user'], tenantAdmin, tenant.consoleAppId)).status).toBe(200);
  });

  it('suspend a user in one app: no sign-in and no refresh there, unchanged elsewhere', async () => {
    const sibling = await world.app(tenant);
    const user = await world.user(app);
    await world.asAdmin('PUT', `/admin/users/${user.id}/roles`, { app_id: sibling.id, roles: ['user'] });
    const [here, there] = [await world.tokens(user, app.id), await world.tokens(user, sibling.id)];
    const answer = await suspend(user.id);
    expect([answer.status, answer.body]).toEqual([
      200,
      { status: 'ok', user_id: user.id, app_id: app.id, enrollment_status: 'suspended' },
    ]);
    const refresh = (refresh_token: string, app_id: string) =>
      world.call('POST', '/token/refresh', { refresh_token, app_id });
    const login = await world.login(user, app.id);
    expect([login.status, login.body.detail]).toEqual([403, 'Account suspended']);
    const refused = await refresh(here.refresh_token, app.id);
    expect([refused.status, refused.body['detail']]).toEqual([403, 'Account suspended']);
    expect((await refresh(there.refresh_token, sibling.id)).status).toBe(200);
  });

  it('reactivate a user without restoring the ended tokens', async () => {
    const user = await world.user(app);
    const { refresh_token } = await world.tokens(user, app.id);
    await suspend(user.id);
    const path = `/admin/users/${user.id}/apps/${app.id}/reactivate`;
    const answer = await send('PUT', path);
    expect([answer.status, answer.body]).toEqual([
      200,
      { status: 'ok', user_id: user.id, app_id: app.id, enrollment_status: 'active' },
    ]);
    expect((await world.call('POST', '/token/refresh', { refresh_token, app_id: app.id })).status).toBe(401);
    expect((await world.login(user, app.id)).status).toBe(200);
  });

  it('return 409 for a wrong state and 404 without an enrollment', async () => {
    const { id } = await world.user(app);
    const path = `/admin/users/${id}/apps/${app.id}/reactivate`;
    expect((await send('PUT', path)).body).toEqual({ detail: 'Enrollment is not suspended' });
    await suspend(id);
    const twice = await suspend(id);
    expect([twice.status, twice.body]).toEqual([409, { detail: 'Enrollment is not active' }]);
    const sibling = await world.app(tenant);
    const absent = await send('POST', `/admin/users/${id}/suspend`, { app_id: sibling.id }, world.admin.token);
    expect([absent.status, absent.body]).toEqual([404, { detail: 'Enrollment not found' }]);
  });

  it('accept app_id in the body or the query, and return 400 for two different ids', async () => {
    const sibling = await world.app(tenant);
    const user = () => world.user(app);
    expect((await suspend((await user()).id, `?app_id=${app.id}`, undefined)).status).toBe(200);
    expect((await suspend((await user()).id, `?app_id=${app.id}`, {})).status).toBe(200);
    expect((await suspend((await user()).id, `?app_id=${app.id.toUpperCase()}`)).status).toBe(200);
    const { id } = await user();
    const conflict = await suspend(id, `?app_id=${sibling.id}`);
    expect([conflict.status, conflict.body]).toEqual([400, { detail: 'Conflicting app_id' }]);
    for (const body of [undefined, {}]) {
      const none = await suspend(id, '', body);
      expect([none.status, none.body]).toEqual([
        422,
        { detail: [{ loc: ['body', 'app_id'], msg: 'Field required', type: 'missing' }] },
      ]);
    }
  });

  // security 81
  it('return 400 for the caller’s own suspension', async () => {
    const admin = await world.user(app, { roles: ['admin'] });
    const { access_token } = await world.tokens(admin, app.id);
    const answer = await send('POST', `/admin/users/${admin.id}/suspend`, { app_id: app.id }, access_token);
    expect([answer.status, answer.body]).toEqual([400, { detail: 'You cannot remove yourself' }]);
    expect((await world.login(admin, app.id)).status).toBe(200);
  });
});
