import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type TestUser, type TestClient, type TestTenant, unique, World } from '../../support/world.js';

interface Entry {
  id: string;
  created_at: string;
  action: string;
  outcome: string;
  actor: { type: string; id: string | null; email: string | null };
  user_id: string | null;
  tenant_id: string | null;
  app_id: string | null;
  target: { type: string; id: string } | null;
  request_id: string;
}

const FIELDS = [
  ...['id', 'seq', 'created_at', 'action', 'outcome', 'actor', 'acting_as', 'user_id', 'tenant_id', 'app_id'],
  ...['target', 'ip_address', 'user_agent', 'request_id', 'metadata', 'prev_hash', 'hash'],
];

describe('GET /admin/audit', () => {
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;

  beforeAll(async () => {
    service = await startTestApp({ settings: { rateLimits: { enabled: false, overrides: {} } } });
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    tenant = await world.tenant();
    app = await world.app(tenant);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
  });

  const read = (query: Record<string, string>, token = world.admin.token) =>
    world.call<Entry[]>('GET', `/admin/audit?${new URLSearchParams(query).toString()}`, undefined, { token });

  /** Sends a request as the platform admin and returns its audit entries, oldest first. */
  async function entriesOf(method: string, path: string, body?: unknown, userAgent = 'Audited/1.0'): Promise<Entry[]> {
    const requestId = `audit-${unique()}`;
    const { token } = world.admin;
    const answer = await world.call(method, path, body, {
      token,
      headers: { 'X-Request-Id': requestId, 'User-Agent': userAgent },
    });
    expect([method, path, answer.status < 300]).toEqual([method, path, true]);
    // Others that share this log write at the same time: more than a page has.
    const recent = await read({ limit: '500', person_id: world.admin.id });
    const entries = recent.body.filter((entry) => entry.request_id === requestId).reverse();
    // Also those that name another user, or no user.
    const written = await world.sql('SELECT 1 FROM audit_entries WHERE request_id = $1', [requestId]);
    expect(written).toHaveLength(entries.length);
    return entries;
  }

  // security 108
  it('returns every field of an entry: actor, action, target and origin', async () => {
    const [entry] = await entriesOf('PUT', `/admin/apps/${app.id}`, { name: 'Audited' });
    expect(Object.keys(entry!).sort()).toEqual([...FIELDS].sort());
    expect(entry).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      action: 'app.updated',
      outcome: 'success',
      actor: { type: 'user', id: world.admin.id, email: world.admin.email },
      acting_as: null,
      user_id: null,
      tenant_id: tenant.id,
      app_id: app.id,
      target: { type: 'app', id: app.id },
      ip_address: '127.0.0.1',
      user_agent: 'Audited/1.0',
      request_id: expect.stringMatching(/^audit-/),
      metadata: { fields: ['name'] },
    });
  });

  it('keeps the first 512 characters of a long user agent', async () => {
    const body = { name: 'Long agent' };
    const [entry] = await entriesOf('PUT', `/admin/apps/${app.id}`, body, 'x'.repeat(2_000));
    expect(entry).toMatchObject({ user_agent: 'x'.repeat(512) });
  });

  it('tells which settings of an app changed, and which redirect URIs', async () => {
    const redirect_uris = ['https://new.example/callback'];
    const body = { name: 'Audited', config: { redirect_uris } };
    const [entry] = await entriesOf('PUT', `/admin/apps/${app.id}`, body);
    expect(entry as unknown).toHaveProperty('metadata', {
      fields: ['name', 'config'],
      config: ['redirect_uris'],
      redirect_uris: { added: redirect_uris, removed: [app.redirectUri] },
    });
  });

  it('contains nothing about a save that changes nothing', async () => {
    const own = await world.tenant();
    await world.asAdmin('PUT', `/admin/apps/${app.id}`, { name: 'Same', config: { require_pkce: true } });
    const cases = [
      ['PUT', `/admin/apps/${app.id}`, { name: 'Same', config: { require_pkce: true, require_2fa: false } }],
      ['PATCH', `/admin/tenants/${own.id}`, { name: own.name, require_2fa: false }],
    ] as const;
    for (const [method, path, body] of cases) expect(await entriesOf(method, path, body)).toEqual([]);
  });

  // security 107
  it('contains an entry for every change made with the admin API', async () => {
    const user = await world.user(app);
    const own = await world.tenant();
    const sibling = await world.app(tenant);
    const roles = { app_id: app.id, roles: ['manager'] };
    const cases: [string, string, unknown, string[]][] = [
      ['POST', '/admin/tenants', { name: 'Audited' }, ['tenant.created']],
      ['PATCH', `/admin/tenants/${own.id}`, { name: 'Renamed' }, ['tenant.updated']],
      ['PATCH', `/admin/tenants/${own.id}`, { is_active: false }, ['tenant.deactivated', 'tenant.updated']],
      ['PATCH', `/admin/tenants/${own.id}`, { is_active: true }, ['tenant.activated', 'tenant.updated']],
      ['PATCH', `/admin/tenants/${own.id}`, {}, []],
      ['POST', '/admin/apps', { name: 'x', tenant_id: own.id, bundle_id: `com.example.${unique()}` }, ['app.created']],
      ['PUT', `/admin/apps/${sibling.id}`, { config: { require_2fa: true } }, ['app.updated']],
      ['PUT', `/admin/apps/${sibling.id}`, {}, []],
      ['POST', `/admin/apps/${sibling.id}/regenerate-secret`, undefined, ['app.secret_regenerated']],
      ['PUT', `/admin/apps/${sibling.id}/secret`, undefined, ['app.secret_regenerated']],
      ['POST', '/admin/users', { email: `a-${unique()}@example.com`, display_name: 'A' }, ['user.created']],
      [
        'POST',
        '/admin/users',
        { email: `a-${unique()}@example.com`, display_name: 'A', app_id: app.id },
        ['user.created', 'enrollment.created'],
      ],
      ['PUT', `/admin/users/${user.id}/roles`, roles, ['enrollment.roles_changed']],
      ['PUT', `/admin/users/${user.id}/roles`, { ...roles, app_id: sibling.id }, ['enrollment.created']],
      ['POST', `/admin/users/${user.id}/suspend`, { app_id: app.id }, ['user.suspended']],
      ['PUT', `/admin/users/${user.id}/apps/${app.id}/reactivate`, undefined, ['user.reactivated']],
    ];
    for (const [method, path, body, actions] of cases) {
      const entries = await entriesOf(method, path, body);
      expect([method, path, entries.map((entry) => entry.action).sort()]).toEqual([method, path, actions.sort()]);
      expect(entries.every((entry) => entry.actor.id === world.admin.id)).toBe(true);
    }
  });

  // security 108
  it('contains successful and failed sign-ins with the user and the app', async () => {
    const user = await world.user(app);
    await world.login({ ...user, password: 'wrong password' }, app.id);
    await world.tokens(user, app.id);
    const [failed] = (await read({ app_id: app.id, action: 'user.login_failed' })).body;
    expect(failed).toMatchObject({
      outcome: 'failure',
      actor: { type: 'anonymous', id: null, email: null },
      metadata: { email: user.email },
      tenant_id: tenant.id,
    });
    const [succeeded] = (await read({ user_id: user.id, action: 'user.login' })).body;
    expect(succeeded).toMatchObject({ outcome: 'success', app_id: app.id, tenant_id: tenant.id });
  });

  it('names the app as the actor for a service token', async () => {
    const token = await world.serviceToken(app, 'users:create');
    const body = { email: `s-${unique()}@example.com`, display_name: 'S' };
    const made = await world.call('POST', '/admin/users', body, { token });
    const [entry] = (await read({ user_id: String(made.body['id']), action: 'user.created' })).body;
    expect(entry!.actor).toEqual({ type: 'service', id: app.id, email: null });
  });

  describe('as a list', () => {
    let own: TestTenant;
    let ownApp: TestClient;
    let users: TestUser[];

    beforeAll(async () => {
      own = await world.tenant();
      ownApp = await world.app(own);
      users = [];
      for (let made = 0; made < 3; made++) users.push(await world.user(ownApp));
    });

    it('is sorted newest first and filtered by tenant, app, user, action and time', async () => {
      const all = (await read({ tenant_id: own.id })).body;
      expect(all.map((entry) => entry.created_at)).toEqual(
        all
          .map((entry) => entry.created_at)
          .sort()
          .reverse(),
      );
      expect(new Set(all.map((entry) => entry.tenant_id))).toEqual(new Set([own.id]));
      const ofApp = (await read({ app_id: ownApp.id, action: 'user.created' })).body;
      expect(ofApp.map((entry) => entry.user_id)).toEqual(users.map((user) => user.id).reverse());
      const ofUser = (await read({ user_id: users[0]!.id })).body;
      expect(new Set(ofUser.map((entry) => entry.user_id))).toEqual(new Set([users[0]!.id]));
      const oldest = all.at(-1)!.created_at;
      const since = (await read({ tenant_id: own.id, after: oldest })).body;
      expect(since.every((entry) => entry.created_at >= oldest)).toBe(true);
      expect((await read({ tenant_id: own.id, before: '2001-01-01' })).body).toEqual([]);
      expect((await read({ tenant_id: own.id, after: '2100-01-01T00:00:00Z' })).body).toEqual([]);
      expect((await read({ tenant_id: own.id, action: 'no.such' })).body).toEqual([]);
    });

    it('returns pages with Link headers', async () => {
      const all = (await read({ tenant_id: own.id })).body.map((entry) => entry.id);
      const seen: string[] = [];
      for (let page = 1; page < 20; page++) {
        const answer = await read({ tenant_id: own.id, limit: '3', page: String(page) });
        seen.push(...answer.body.map((entry) => entry.id));
        if (!answer.headers.get('link')) break;
        expect(answer.headers.get('link')).toContain(`page=${page + 1}`);
      }
      expect(seen).toEqual(all);
      expect(all.length).toBeGreaterThan(6);
    });

    it('accepts a limit from 1 to 500 and returns 422 for invalid values', async () => {
      for (const limit of ['0', '501', 'x', '-1'])
        expect([limit, (await read({ limit })).status]).toEqual([limit, 422]);
      for (const limit of ['1', '500']) expect([limit, (await read({ limit })).status]).toEqual([limit, 200]);
      for (const time of ['yesterday', '2026-13-45', "2026-01-01' OR 1=1"])
        expect([time, (await read({ after: time })).status]).toEqual([time, 422]);
      for (let made = 0; made < 51; made++)
        await world.asAdmin('PATCH', `/admin/tenants/${own.id}`, { name: `Renamed ${made}` });
      expect((await read({ tenant_id: own.id })).body).toHaveLength(50);
    });

    // security 77
    // security 109
    it('returns to tenant and app admins only entries of their tenant or app', async () => {
      const tenantToken = (await world.tokens(await world.tenantAdmin(own), own.consoleAppId)).access_token;
      const admin = await world.user(ownApp, { roles: ['admin'] });
      const appToken = (await world.tokens(admin, ownApp.id)).access_token;
      const forTenant = (await read({ limit: '500' }, tenantToken)).body;
      const forApp = (await read({ limit: '500' }, appToken)).body;
      expect(new Set(forTenant.map((entry) => entry.tenant_id))).toEqual(new Set([own.id]));
      expect(new Set(forApp.map((entry) => entry.app_id))).toEqual(new Set([ownApp.id]));
      expect(forTenant.some((entry) => entry.action === 'tenant.created')).toBe(true);
      const stranger = await world.user(app);
      expect((await read({ user_id: stranger.id }, tenantToken)).body).toEqual([]);
      const absent = '00000000-0000-4000-8000-000000000000';
      for (const query of [{ tenant_id: tenant.id }, { app_id: app.id }, { tenant_id: absent }, { app_id: absent }])
        for (const token of [tenantToken, appToken]) {
          const answer = await read(query as unknown as Record<string, string>, token);
          expect([query, answer.status]).toEqual([query, 403]);
        }
      expect((await read({ tenant_id: own.id }, appToken)).status).toBe(403);
      expect((await read({ app_id: ownApp.id }, appToken)).status).toBe(200);
    });
  });
});
