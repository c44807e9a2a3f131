import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { type TestClient, type TestTenant, World } from '../../support/world.js';

interface Shown {
  readonly id: string;
  readonly is_active: boolean;
  readonly archived_at: string | null;
}

// issue 15, B4; docs/decisions/0048
describe('An archived app', () => {
  let service: SharedTestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;

  beforeAll(async () => {
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
  });

  afterAll(() => world.close());

  beforeEach(async () => {
    tenant = await world.tenant();
    app = await world.app(tenant);
  });

  const act = (verb: 'archive' | 'restore', id = app.id, token = world.admin.token) =>
    world.call<Shown & { detail?: string }>('POST', `/admin/apps/${id}/${verb}`, undefined, { token });
  const listed = async (more = '') =>
    (await world.asAdmin<Shown[]>('GET', `/admin/apps?tenant_id=${tenant.id}${more}`)).map(({ id }) => id);
  const entries = () =>
    world.sql<{ action: string }>(
      "SELECT action FROM audit_entries WHERE app_id = $1 AND action IN ('app.archived', 'app.restored') ORDER BY created_at",
      [app.id],
    );

  it('is switched off and listed only with archived=true, until it is restored', async () => {
    const other = await world.app(tenant);
    const { status, body } = await act('archive');
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({ id: app.id, is_active: false, archived_at: expect.any(String) }),
    ]);
    expect(await listed()).toEqual([other.id, tenant.consoleAppId]);
    expect(await listed('&archived=true')).toEqual([app.id]);
    expect((await act('restore')).body).toMatchObject({ is_active: false, archived_at: null });
    expect(await listed()).toEqual([other.id, app.id, tenant.consoleAppId]);
    expect(await listed('&archived=true')).toEqual([]);
  });

  it('refuses sign-ins, and the tokens that it gave out before', async () => {
    const user = await world.user(app);
    const { refresh_token, access_token } = await world.tokens(user, app.id);
    await act('archive');
    const refresh = await world.call('POST', '/token/refresh', { refresh_token, app_id: app.id });
    const userinfo = await world.call('GET', '/userinfo', undefined, { token: access_token });
    expect([(await world.login(user, app.id)).status, refresh.status, userinfo.status]).toEqual([400, 401, 401]);
  });

  it('is not switched on, neither by itself nor with its tenant', async () => {
    await act('archive');
    const on = await world.call('PUT', `/admin/apps/${app.id}`, { is_active: true }, { token: world.admin.token });
    expect([on.status, on.body]).toEqual([409, { detail: 'App is archived. Restore it first' }]);
    for (const is_active of [false, true]) await world.asAdmin('PATCH', `/admin/tenants/${tenant.id}`, { is_active });
    expect((await act('restore')).body).toMatchObject({ is_active: false });
    expect((await world.asAdmin<Shown>('PUT', `/admin/apps/${app.id}`, { is_active: true })).is_active).toBe(true);
  });

  it('of a tenant that is switched off stays archived when the tenant is switched on', async () => {
    await world.asAdmin('PATCH', `/admin/tenants/${tenant.id}`, { is_active: false });
    expect((await act('archive')).status).toBe(200);
    await world.asAdmin('PATCH', `/admin/tenants/${tenant.id}`, { is_active: true });
    expect(await listed('&archived=true')).toEqual([app.id]);
  });

  it('is recorded once for each change', async () => {
    for (const verb of ['archive', 'archive', 'restore', 'restore'] as const)
      expect((await act(verb)).status).toBe(200);
    expect((await entries()).map(({ action }) => action)).toEqual(['app.archived', 'app.restored']);
  });

  it('is left out of its tenant’s export, and exported by itself', async () => {
    await act('archive');
    const whole = await world.asAdmin<{ apps: unknown[] }>('GET', `/admin/tenants/${tenant.id}/export`);
    expect(whole.apps).toEqual([]);
    const own = await world.asAdmin<{ app: { is_active: boolean } }>('GET', `/admin/apps/${app.id}/export`);
    expect(own.app.is_active).toBe(false);
  });

  it('cannot be a Console app', async () => {
    const { status, body } = await act('archive', tenant.consoleAppId);
    expect([status, body]).toEqual([403, { detail: 'Insufficient permissions' }]);
  });

  it('takes administrators of its tenant: neither its own admins nor those of other tenants', async () => {
    const [ownAdmin, stranger] = [
      await world.user(app, { roles: ['admin'] }),
      await world.tenantAdmin(await world.tenant()),
    ];
    const tokens = [
      await world.tokens(ownAdmin, app.id),
      await world.tokens(
        stranger,
        (
          await world.sql<{ id: string }>('SELECT e.app_id AS id FROM enrollments e WHERE e.user_id = $1', [
            stranger.id,
          ])
        )[0]!.id,
      ),
    ];
    for (const verb of ['archive', 'restore'] as const)
      for (const { access_token } of tokens) expect((await act(verb, app.id, access_token)).status).toBe(403);
    const admin = await world.tokens(await world.tenantAdmin(tenant), tenant.consoleAppId);
    expect((await act('archive', app.id, admin.access_token)).status).toBe(200);
  });
});
