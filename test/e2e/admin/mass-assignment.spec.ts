import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { databaseFingerprint } from '../../support/database-fingerprint.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { type TestClient, type TestTenant, unique, World } from '../../support/world.js';

const FOREIGN_ID = '00000000-0000-4000-8000-0000000000ff';

/** Names of columns or view fields that a caller must not set. */
const READ_ONLY = {
  id: FOREIGN_ID,
  tenantId: FOREIGN_ID,
  user_id: FOREIGN_ID,
  client_secret: 'chosen-secret',
  client_secret_hash: 'AAAA',
  clientSecretHash: 'AAAA',
  password_hash: '$2b$04$abcdefghijklmnopqrstuv',
  passwordHash: '$2b$04$abcdefghijklmnopqrstuv',
  email_canonical: 'root@example.com',
  is_platform: true,
  isPlatform: true,
  isPlatformAdmin: true,
  isConsoleApp: true,
  serviceScopes: ['apps:write'],
  off_with_tenant: true,
  console_app_id: FOREIGN_ID,
  use_count: 0,
  status: 'active',
  totp_enabled: true,
  has_password: false,
  push: { enabled: true },
  push_enabled: true,
  logo_data: 'data:image/png;base64,AAAA',
  app_count: 7,
  created_at: '2000-01-01T00:00:00Z',
  createdAt: '2000-01-01T00:00:00Z',
  updated_at: '2000-01-01T00:00:00Z',
  last_login_at: '2000-01-01T00:00:00Z',
  tokens_valid_from: '2099-01-01T00:00:00Z',
  unknown: 'field',
};

describe('Mass assignment in the admin API', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let foreign: TestTenant;
  let app: TestClient;
  let token: string;

  beforeAll(async () => {
    database = await freshDatabase();
    service = await startTestApp({
      settings: { databaseUrl: database.url, rateLimits: { enabled: false, overrides: {} } },
    });
    world = await World.open(service.baseUrl, database.url);
    [tenant, foreign] = [await world.tenant(), await world.tenant()];
    app = await world.app(tenant, { service_scopes: ['users:create', 'apps:write', 'apps:read'] });
    token = await world.serviceToken(app);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  const row = async (table: string, id: string) =>
    (await world.sql<Record<string, unknown>>(`SELECT * FROM ${table} WHERE id = $1`, [id]))[0]!;

  /** Expects the rows to differ in these columns only. */
  function expectOnly(before: Record<string, unknown>, after: Record<string, unknown>, columns: string[]): void {
    const changed = Object.keys(after).filter((name) => JSON.stringify(after[name]) !== JSON.stringify(before[name]));
    expect(changed.sort()).toEqual(columns.sort());
  }

  // security 78
  it('cannot set read-only or unknown fields in an update of a tenant', async () => {
    const before = await row('tenants', tenant.id);
    const path = `/admin/tenants/${tenant.id}`;
    const answer = await world.call('PATCH', path, { ...READ_ONLY, name: 'New' }, { token: world.admin.token });
    expect(answer.status).toBe(200);
    expectOnly(before, await row('tenants', tenant.id), ['name', 'updated_at']);
  });

  // security 78
  it('cannot set read-only or unknown fields in an update of an app, nested or not', async () => {
    const own = await world.app(tenant);
    const before = await row('apps', own.id);
    const body = {
      ...READ_ONLY,
      tenant_id: foreign.id,
      is_console_app: true,
      name: 'New',
      config: { ...READ_ONLY, tenant_id: foreign.id, branding: { ...READ_ONLY, logo_data: null } },
    };
    const answer = await world.call('PUT', `/admin/apps/${own.id}`, body, { token: world.admin.token });
    expect(answer.status).toBe(200);
    expectOnly(before, await row('apps', own.id), ['name', 'updated_at']);
  });

  // security 78
  it('cannot set read-only or unknown fields on creation', async () => {
    const [tenantBody, appBody, userBody] = [
      { ...READ_ONLY, name: 'Made' },
      { ...READ_ONLY, name: 'Made', tenant_id: tenant.id, bundle_id: `com.example.${unique()}` },
      { ...READ_ONLY, email: `made-${unique()}@example.com`, display_name: 'Made' },
    ];
    const madeTenant = await row(
      'tenants',
      (await world.asAdmin<{ id: string }>('POST', '/admin/tenants', tenantBody)).id,
    );
    expect(madeTenant).toMatchObject({ is_platform: false, is_active: true });
    const madeApp = await row('apps', (await world.asAdmin<{ id: string }>('POST', '/admin/apps', appBody)).id);
    expect(madeApp).toMatchObject({
      is_console_app: false,
      off_with_tenant: false,
      push_enabled: false,
      logo_data: null,
      service_scopes: ['push:send', 'users:read', 'users:create', 'invites:create'],
    });
    const madeUser = await row('users', (await world.asAdmin<{ id: string }>('POST', '/admin/users', userBody)).id);
    expect(madeUser).toMatchObject({
      is_platform_admin: false,
      password_hash: null,
      last_login_at: null,
      email_canonical: userBody.email,
    });
    for (const made of [madeTenant, madeApp, madeUser]) {
      expect(made['id']).not.toBe(FOREIGN_ID);
      expect((made['created_at'] as Date).getFullYear()).toBeGreaterThan(2000);
    }
    const secret = await world.call('POST', '/auth/token', {
      grant_type: 'client_credentials',
      client_id: madeApp['id'],
      client_secret: 'chosen-secret',
    });
    expect(secret.status).toBe(401);
  });

  // security 78
  it('cannot set anything but the roles at the roles route', async () => {
    const user = await world.user(app);
    const before = await row('users', user.id);
    const body = { ...READ_ONLY, app_id: app.id, roles: ['manager'], is_platform_admin: true, email_verified: false };
    await world.asAdmin('PUT', `/admin/users/${user.id}/roles`, body);
    expectOnly(before, await row('users', user.id), []);
    const enrolled = await world.sql('SELECT app_id, status, roles FROM enrollments WHERE user_id = $1', [user.id]);
    expect(enrolled).toEqual([{ app_id: app.id, status: 'active', roles: ['user', 'manager'] }]);
  });

  const WIDENING: Record<string, (foreignTenant: string) => object> = {
    is_platform_admin: () => ({ is_platform_admin: true }),
    'is_platform_admin: false': () => ({ is_platform_admin: false }),
    service_scopes: () => ({ service_scopes: ['apps:write'] }),
    'empty service_scopes': () => ({ service_scopes: [] }),
    is_console_app: () => ({ is_console_app: true }),
    'is_console_app: null': () => ({ is_console_app: null }),
    'another tenant’s id': (tenant_id) => ({ tenant_id }),
    'a Console bundle_id': () => ({ bundle_id: 'console.mine' }),
    'a Console bundle_id in capitals': () => ({ bundle_id: 'Console.Mine' }),
  };

  // security 73
  describe.each(Object.entries(WIDENING))('with a service token and %s', (_, fields) => {
    it.each([
      ['at the top', (extra: object) => extra],
      ['in config', (extra: object) => ({ config: extra })],
      ['in branding', (extra: object) => ({ config: { branding: extra } })],
      ['at a deeper level', (extra: object) => ({ extra: { more: [{ config: extra }] } })],
    ])('returns 403 for the field %s and changes nothing', async (_place, nest) => {
      const extra = nest(fields(foreign.id));
      const bundle_id = `com.example.${unique()}`;
      const before = await databaseFingerprint(world);
      for (const [method, path, body] of [
        ['POST', '/admin/apps', { name: 'x', tenant_id: tenant.id, bundle_id, ...extra }],
        ['PUT', `/admin/apps/${app.id}`, { name: 'x', ...extra }],
        ['POST', '/admin/users', { email: `x-${unique()}@example.com`, display_name: 'x', ...extra }],
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
    });
  });

  // security 73
  it('cannot create or change apps of another tenant with a service token', async () => {
    const foreignApp = await world.app(foreign);
    const sibling = await world.app(tenant);
    const before = await databaseFingerprint(world);
    const make = (fields: object) =>
      world.call('POST', '/admin/apps', { name: 'x', bundle_id: `com.example.${unique()}`, ...fields }, { token });
    expect((await make({ tenant_id: foreign.id })).status).toBe(403);
    expect((await make({ tenant_id: FOREIGN_ID })).status).toBe(403);
    for (const id of [foreignApp.id, tenant.consoleAppId, foreign.consoleAppId, world.platformConsoleId, FOREIGN_ID])
      expect((await world.call('PUT', `/admin/apps/${id}`, { name: 'x' }, { token })).status).toBe(403);
    expect(await databaseFingerprint(world)).toEqual(before);
    const own = await make({ tenant_id: tenant.id.toUpperCase() });
    expect([own.status, own.body['tenant_id']]).toEqual([201, tenant.id]);
    const renamed = await world.call('PUT', `/admin/apps/${sibling.id}`, { name: 'Neighbor' }, { token });
    expect([renamed.status, renamed.body['name']]).toEqual([200, 'Neighbor']);
  });
});
