import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { type TestTenant, unique, World } from '../../support/world.js';

interface AppBody {
  id: string;
  client_secret?: string;
  bundle_id: string;
  config: Record<string, unknown> & { branding: Record<string, unknown> };
  updated_at: string;
  detail?: unknown;
}

const DEFAULT_CONFIG = {
  allowed_providers: ['password', 'magic_link'],
  redirect_uris: [],
  post_logout_redirect_uris: [],
  backchannel_logout_uri: null,
  available_roles: ['user', 'manager', 'admin'],
  auto_assign_roles: ['user'],
  token_lifetime_minutes: 15,
  refresh_lifetime_days: 30,
  refresh_grace_seconds: 0,
  client_type: null,
  third_party: false,
  initiate_login_uri: null,
  android_apps: [],
  apple_app_ids: [],
  request_notices: 'immediately',
  require_pkce: false,
  require_par: false,
  resources: [],
  token_exchange: false,
  served_resources: [],
  dpop_bound_access_tokens: false,
  token_endpoint_auth_method: null,
  jwks: null,
  jwks_uri: null,
  device_grant: false,
  require_verified_email: false,
  require_2fa: false,
  branding: {
    primary_color: '#2563eb',
    logo_url: null,
    logo_height: 40,
    logo_data: null,
    dark_logo_data: null,
    favicon_data: null,
    tos_uri: null,
    policy_uri: null,
    support_uri: null,
  },
};

describe('Apps in the admin API', () => {
  let service: SharedTestApp;
  let world: World;
  let tenant: TestTenant;

  beforeAll(async () => {
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    tenant = await world.tenant();
  });

  afterAll(() => world.close());

  const create = (fields: Record<string, unknown> = {}) =>
    world.call<AppBody>(
      'POST',
      '/admin/apps',
      { name: 'Shop', tenant_id: tenant.id, bundle_id: `com.example.${unique()}`, ...fields },
      { token: world.admin.token },
    );
  const update = (id: string, body: object, token = world.admin.token) =>
    world.call<AppBody>('PUT', `/admin/apps/${id}`, body, { token });

  it('are created with every field and its default', async () => {
    const bundle_id = `com.example.${unique()}`;
    const answer = await create({ bundle_id });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'Shop',
      tenant_id: tenant.id,
      bundle_id,
      registration_policy: 'invite',
      client_secret: expect.stringMatching(/^[\w-]{43,}$/),
      service_scopes: ['push:send', 'users:read', 'users:create', 'invites:create'],
      is_console_app: false,
      origin: 'operator',
      is_active: true,
      archived_at: null,
      config: DEFAULT_CONFIG,
      push: { enabled: false },
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
  });

  it('keep every field that was sent', async () => {
    const config = {
      allowed_providers: ['google', 'password'],
      redirect_uris: ['https://shop.example/callback', 'com.example.shop:/done'],
      post_logout_redirect_uris: ['https://shop.example/bye'],
      available_roles: ['user', 'editor'],
      auto_assign_roles: ['user', 'editor'],
      token_lifetime_minutes: 5,
      refresh_lifetime_days: 90,
      refresh_grace_seconds: 60,
      client_type: 'confidential',
      require_pkce: true,
      require_par: true,
      resources: ['https://orders.example/api'],
      token_exchange: true,
      served_resources: ['urn:example:stock'],
      dpop_bound_access_tokens: true,
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: null,
      jwks_uri: 'https://shop.example/keys',
      device_grant: true,
      require_2fa: true,
      branding: {
        primary_color: '#aabbcc',
        logo_url: 'https://shop.example/logo.png',
        logo_height: 64,
        tos_uri: 'https://shop.example/terms',
        policy_uri: 'https://shop.example/privacy?lang=en',
        support_uri: 'https://shop.example/help',
      },
    };
    const fields = { registration_policy: 'open', service_scopes: ['apps:read'], config };
    expect((await create(fields)).body).toMatchObject(fields);
  });

  it('always offer and assign the role user', async () => {
    const { body } = await create({ config: { available_roles: ['editor'], auto_assign_roles: [] } });
    expect(body.config).toMatchObject({ available_roles: ['user', 'editor'], auto_assign_roles: ['user'] });
  });

  it('merge a partial config: objects merge, lists and scalars replace', async () => {
    const { id } = (await create({ config: { redirect_uris: ['https://a.example/', 'https://b.example/'] } })).body;
    const first = await update(id, { config: { branding: { logo_height: 80 }, token_lifetime_minutes: 60 } });
    expect(first.body.config).toEqual({
      ...DEFAULT_CONFIG,
      redirect_uris: ['https://a.example/', 'https://b.example/'],
      token_lifetime_minutes: 60,
      branding: { ...DEFAULT_CONFIG.branding, logo_height: 80 },
    });
    const second = await update(id, { config: { redirect_uris: ['https://c.example/'] } });
    expect(second.body.config).toEqual({ ...first.body.config, redirect_uris: ['https://c.example/'] });
  });

  it('keep an uploaded logo when the config is saved without it', async () => {
    const { id } = (await create()).body;
    await world.sql('UPDATE apps SET logo_data = $2 WHERE id = $1', [id, 'data:image/png;base64,AAAA']);
    const { body } = await update(id, { config: { branding: { primary_color: '#000000', logo_data: null } } });
    expect(body.config.branding).toMatchObject({
      primary_color: '#000000',
      logo_data: 'data:image/png;base64,AAAA',
    });
  });

  it('do not change on an empty update', async () => {
    const { client_secret: _, ...app } = (await create()).body;
    const answer = await update(app.id, {});
    expect([answer.status, answer.body]).toEqual([200, app]);
  });

  it('change name, state and registration policy without changing the config', async () => {
    const { client_secret: _, ...app } = (await create()).body;
    const change = { name: 'Renamed', registration_policy: 'approval', is_active: false };
    expect((await update(app.id, change)).body).toEqual({ ...app, ...change, updated_at: expect.any(String) });
  });

  it('return 422 for an unknown sign-in method and name it', async () => {
    const refused = await create({ config: { allowed_providers: ['password', 'nosuchprovider', 'google'] } });
    expect([refused.status, refused.body]).toEqual([
      422,
      {
        detail: [
          { loc: ['body', 'config', 'allowed_providers', 1], msg: 'Unknown provider: nosuchprovider', type: 'enum' },
        ],
      },
    ]);
    const { id } = (await create()).body;
    expect((await update(id, { config: { allowed_providers: ['facebook'] } })).status).toBe(422);
    const every = ['apple', 'password', 'google', 'microsoft', 'github', 'magic_link'];
    expect((await update(id, { config: { allowed_providers: every } })).body.config.allowed_providers).toEqual(every);
  });

  it('return 422 for a refresh token lifetime of more than 90 days', async () => {
    const refused = await create({ config: { refresh_lifetime_days: 91 } });
    expect([refused.status, refused.body]).toEqual([
      422,
      {
        detail: [
          {
            loc: ['body', 'config', 'refresh_lifetime_days'],
            msg: 'refresh_lifetime_days must not be greater than 90',
            type: 'less_than_equal',
          },
        ],
      },
    ]);
    expect((await create({ config: { refresh_lifetime_days: 90 } })).status).toBe(201);
  });

  it('return 422 for settings outside their limits', async () => {
    for (const config of [
      { token_lifetime_minutes: 0 },
      { token_lifetime_minutes: 1441 },
      { refresh_lifetime_days: 0 },
      { refresh_lifetime_days: 91 },
      { refresh_grace_seconds: 61 },
      { refresh_grace_seconds: -1 },
      { token_lifetime_minutes: 1.5 },
      { token_lifetime_minutes: '15' },
      { allowed_providers: 'password' },
      { available_roles: ['<script>'] },
      { auto_assign_roles: ['editor'] },
      { branding: { primary_color: 'red' } },
      { branding: { primary_color: '#2563eb;}' } },
      { branding: { logo_url: 'javascript:alert(1)' } },
      { branding: { logo_url: 'http://plain.example/logo.png' } },
      { branding: [] },
      null,
    ]) {
      const answer = await create({ config });
      expect([config, answer.status]).toEqual([config, 422]);
    }
    expect((await create({ registration_policy: 'closed' })).status).toBe(422);
    expect((await create({ service_scopes: ['admin:all'] })).status).toBe(422);
  });

  it('return 409 for a bundle id in use, on creation and update', async () => {
    const [one, two] = [(await create()).body, (await create()).body];
    const again = await create({ bundle_id: one.bundle_id });
    expect([again.status, again.body]).toEqual([409, { detail: 'Bundle ID already exists' }]);
    expect((await update(two.id, { bundle_id: one.bundle_id })).status).toBe(409);
    expect((await update(one.id, { bundle_id: one.bundle_id })).status).toBe(200);
  });

  it('return 403 for Console bundle ids and is_console_app', async () => {
    for (const fields of [{ bundle_id: `console.${unique()}` }, { bundle_id: 'CONSOLE.x' }, { is_console_app: true }])
      expect([fields, (await create(fields)).status]).toEqual([fields, 403]);
  });

  it('return 404 for an unknown tenant on creation', async () => {
    const answer = await create({ tenant_id: '00000000-0000-4000-8000-000000000000' });
    expect([answer.status, answer.body.detail]).toEqual([404, 'Tenant not found']);
  });

  it('made with the token of an app get no service scope that the token does not have', async () => {
    const maker = await world.app(tenant, { service_scopes: ['apps:write', 'users:read', 'push:send'] });
    const scopesWith = async (scope: string) => {
      const body = { name: 'Made', tenant_id: tenant.id, bundle_id: `com.example.${unique()}` };
      const token = await world.serviceToken(maker, scope);
      const made = await world.call<{ service_scopes: string[] }>('POST', '/admin/apps', body, { token });
      expect(made.status).toBe(201);
      return made.body.service_scopes;
    };
    expect(await scopesWith('apps:write')).toEqual([]);
    expect((await scopesWith('apps:write users:read push:send')).sort()).toEqual(['push:send', 'users:read']);
    const byAdmin = (await create()).body;
    expect(byAdmin).toMatchObject({ service_scopes: expect.arrayContaining(['users:create']) });
  });

  it('accept a tenant id in capital letters', async () => {
    const { access_token } = await world.tokens(await world.tenantAdmin(tenant), tenant.consoleAppId);
    const body = { name: 'Loud', tenant_id: tenant.id.toUpperCase(), bundle_id: `com.example.${unique()}` };
    expect((await world.call('POST', '/admin/apps', body, { token: access_token })).status).toBe(201);
    const path = `/admin/apps?tenant_id=${tenant.id.toUpperCase()}`;
    expect((await world.call('GET', path, undefined, { token: access_token })).status).toBe(200);
  });

  it('return 404 to a platform admin and 403 to others for an unknown app', async () => {
    const absent = '00000000-0000-4000-8000-000000000000';
    const answer = await update(absent, { name: 'x' });
    expect([answer.status, answer.body]).toEqual([404, { detail: 'App not found' }]);
    const { access_token } = await world.tokens(await world.tenantAdmin(tenant), tenant.consoleAppId);
    expect((await update(absent, { name: 'x' }, access_token)).status).toBe(403);
  });

  it('are listed newest first and filtered by tenant, with 403 for another tenant', async () => {
    const own = await world.tenant();
    const [older, newer] = [await world.app(own), await world.app(own)];
    const list = await world.asAdmin<AppBody[]>('GET', `/admin/apps?tenant_id=${own.id}`);
    expect(list.map((app) => app.id)).toEqual([newer.id, older.id, own.consoleAppId]);
    const { access_token } = await world.tokens(await world.tenantAdmin(tenant), tenant.consoleAppId);
    const foreign = await world.call('GET', `/admin/apps?tenant_id=${own.id}`, undefined, { token: access_token });
    expect([foreign.status, foreign.body]).toEqual([403, { detail: 'Insufficient permissions' }]);
  });

  it('of a Console accept branding from the tenant admin, and no change of policy, scopes, roles or redirect URIs', async () => {
    const own = await world.tenant();
    const { access_token } = await world.tokens(await world.tenantAdmin(own), own.consoleAppId);
    const branded = await update(own.consoleAppId, { config: { branding: { logo_height: 50 } } }, access_token);
    expect(branded.status).toBe(200);
    expect(branded.body.config['redirect_uris']).toEqual([`${service.baseUrl}/console/callback`]);
    for (const body of [
      { registration_policy: 'open' },
      { service_scopes: ['apps:write'] },
      { is_active: false },
      { bundle_id: 'com.example.free' },
      { config: { redirect_uris: ['https://evil.example/'] } },
      { config: { available_roles: ['user'] } },
      { config: { auto_assign_roles: ['user', 'admin'] } },
    ])
      for (const token of [access_token, world.admin.token])
        expect([body, (await update(own.consoleAppId, body, token)).status]).toEqual([body, 403]);
  });
});
