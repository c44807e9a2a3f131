import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MembersRepository } from '../../../src/enrollment/members/members.repository.js';
import { TransferFixture, withoutTime } from '../../support/transfer-fixture.js';
import { type TestClient, type TestTenant, unique, type World } from '../../support/world.js';

describe('Export', () => {
  let fixture: TransferFixture;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;

  beforeAll(async () => {
    fixture = await TransferFixture.open();
    world = fixture.world;
    tenant = await world.tenant({ support_email: 'help@example.com', min_password_length: 10 });
    app = await world.app(tenant, {
      name: 'Shop',
      registration_policy: 'open',
      config: { token_lifetime_minutes: 20 },
    });
  });

  afterAll(() => fixture.close());

  const entries = (action: string, id: string) =>
    world.sql<{ metadata: object; actor_id: string; tenant_id: string }>(
      `SELECT metadata, actor_id, tenant_id FROM audit_entries WHERE action = $1 AND target_id = $2 ORDER BY created_at`,
      [action, id],
    );

  it.each(['app', 'tenant'])('of %s ends when its reader loses the authority with which it began', async (kind) => {
    const own = await world.tenant();
    const shop = await world.app(own);
    await world.user(shop);
    const reader = await world.tenantAdmin(own);
    const token = (await world.tokens(reader, own.consoleAppId)).access_token;
    const path = kind === 'app' ? `/admin/apps/${shop.id}` : `/admin/tenants/${own.id}`;
    const members = fixture.service.nest.get(MembersRepository, { strict: false });
    const page = members.page.bind(members);
    /** @param meanwhile happens before the users are read */
    const download = async (meanwhile: () => Promise<unknown>) => {
      members.page = async (...asked) => {
        await meanwhile();
        return page(...asked);
      };
      try {
        const asked = { headers: { Authorization: `Bearer ${token}` } };
        const answer = await fetch(`${world.baseUrl}${path}/export?include_users=true`, asked);
        return await answer.json().then(
          () => answer.status,
          () => 'cut off',
        );
      } finally {
        members.page = page;
      }
    };
    expect(await download(() => Promise.resolve())).toBe(200);
    const remove = () => world.asAdmin('DELETE', `/admin/tenants/${own.id}/admins/${reader.id}`).catch(() => undefined);
    expect(await download(remove)).toBe('cut off');
  });

  it('runs one at a time for a caller, and is possible again after it', async () => {
    const own = await world.tenant();
    const shop = await world.app(own);
    await world.user(shop);
    const admin = await world.tenantAdmin(own);
    const { access_token: token } = await world.tokens(admin, own.consoleAppId);
    const members = fixture.service.nest.get(MembersRepository, { strict: false });
    const page = members.page.bind(members);
    const exported = (path: string) => world.call('GET', `${path}/export`, undefined, { token });
    const meanwhile: unknown[] = [];
    members.page = async (...asked) => {
      for (const path of [`/admin/apps/${shop.id}`, `/admin/tenants/${own.id}`]) {
        const { status, body, headers } = await exported(path);
        meanwhile.push([status, body, headers.get('retry-after')]);
      }
      return page(...asked);
    };
    const path = `/admin/apps/${shop.id}/export?include_users=true`;
    const first = await world.call('GET', path, undefined, { token });
    members.page = page;
    const refused = [429, { detail: 'Your last export is still in progress' }, '10'];
    expect([first.status, meanwhile]).toEqual([200, [refused, refused]]);
    expect((await exported(`/admin/apps/${shop.id}`)).status).toBe(200);
  });

  it('of an app contains its name and settings, and users only on request', async () => {
    const [row] = await world.sql<{ bundle_id: string }>('SELECT bundle_id FROM apps WHERE id = $1', [app.id]);
    const answer = await world.call('GET', `/admin/apps/${app.id}/export`, undefined, { token: world.admin.token });
    expect(answer.body).toEqual({
      format: 'identity-broker/app',
      version: 1,
      exported_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      app: {
        name: 'Shop',
        bundle_id: row!.bundle_id,
        registration_policy: 'open',
        is_active: true,
        config: {
          allowed_providers: ['password', 'magic_link'],
          auto_assign_roles: ['user'],
          client_type: null,
          third_party: false,
          dpop_bound_access_tokens: false,
          jwks: null,
          jwks_uri: null,
          initiate_login_uri: null,
          android_apps: [],
          apple_app_ids: [],
          request_notices: 'immediately',
          available_roles: ['user', 'manager', 'admin'],
          post_logout_redirect_uris: [],
          backchannel_logout_uri: null,
          redirect_uris: [app.redirectUri],
          refresh_grace_seconds: 0,
          refresh_lifetime_days: 30,
          require_2fa: false,
          require_pkce: false,
          require_par: false,
          resources: [],
          token_exchange: false,
          served_resources: [],
          device_grant: false,
          require_verified_email: false,
          token_endpoint_auth_method: null,
          token_lifetime_minutes: 20,
          branding: {
            dark_logo_data: null,
            favicon_data: null,
            logo_data: null,
            logo_height: 40,
            logo_url: null,
            policy_uri: null,
            primary_color: '#2563eb',
            support_uri: null,
            tos_uri: null,
          },
        },
      },
    });
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${row!.bundle_id}.json"`);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it('of a tenant contains its apps by bundle id, without the Console and its administrators', async () => {
    const own = await world.tenant({ support_email: 'help@example.com', min_password_length: 10 });
    const admin = await world.tenantAdmin(own);
    const bundles = ['com.b', 'com.B', 'com.a-1', 'com.a.1', 'com.a'].map((bundle) => `${bundle}.${unique()}`);
    for (const bundle_id of bundles) await world.app(own, { bundle_id });
    const document = await fixture.exportTenant(own.id);
    expect(document.tenant).toEqual({
      name: own.name,
      slug: expect.stringMatching(/^tenant-/),
      is_active: true,
      min_password_length: 10,
      weak_passwords: 'block',
      require_2fa: false,
      allow_account_deletion: false,
      support_email: 'help@example.com',
      default_locale: null,
      passkey_aaguids: null,
      resources: [],
      client_document_hosts: [],
      client_registration: false,
      offer_passkeys: false,
      passkey_recovery_days: null,
    });
    expect(document.apps.map((each) => each['bundle_id'])).toEqual([...bundles].sort());
    expect(JSON.stringify(document)).not.toContain(admin.email);
    expect(JSON.stringify(document)).not.toMatch(/console\./);
    expect(Object.keys((await fixture.exportTenant(own.id, '')).apps[0]!)).not.toContain('users');
  });

  it('lists users by address with all their data, independent of the database’s language', async () => {
    const own = await world.app(tenant);
    const tag = unique();
    const emails = [
      `z-${tag}@example.com`,
      `Émile-${tag}@example.com`,
      `A-${tag}@example.com`,
      `a_b-${tag}@example.com`,
    ];
    for (const email of emails) await world.user(own, { email, display_name: `Of ${email}` });
    const suspended = await world.user(own, { email: `m-${tag}@example.com`, roles: ['manager', 'admin'] });
    await world.asAdmin('POST', `/admin/users/${suspended.id}/suspend`, { app_id: own.id });
    const { users } = await fixture.exportApp(own.id);
    const canonical = (email: string) => Buffer.from(email.toLowerCase()).toString('hex');
    expect(users!.map((user) => user.email)).toEqual(
      [...emails, suspended.email].sort((a, b) => (canonical(a) < canonical(b) ? -1 : 1)),
    );
    expect(users!.find((user) => user.email === suspended.email)).toEqual({
      email: suspended.email,
      display_name: 'Ada Lovelace',
      email_verified: true,
      roles: ['admin', 'manager', 'user'],
      status: 'suspended',
      linked_accounts: [],
    });
  });

  it('returns the same text each time except for its time', async () => {
    await world.user(app);
    const text = async () => {
      const answer = await fetch(`${fixture.service.baseUrl}/admin/tenants/${tenant.id}/export?include_users=true`, {
        headers: { Authorization: `Bearer ${world.admin.token}` },
      });
      return (await answer.text()).replace(/"exported_at":"[^"]+"/, '');
    };
    const first = await text();
    expect(await text()).toBe(first);
    expect(first.split('\n').length).toBeGreaterThan(5);
  });

  // security 4, 79, 114
  it('contains no secret, no hash and no id, also for a platform admin', async () => {
    const user = await world.user(app);
    await world.tokens(user, app.id);
    const text = JSON.stringify([await fixture.exportTenant(tenant.id), await fixture.exportApp(app.id)]);
    const rows = await world.sql<{ secret: string; hash: string }>(
      `SELECT encode(client_secret_hash, 'hex') AS secret, (SELECT password_hash FROM users WHERE id = $2) AS hash
       FROM apps WHERE id = $1`,
      [app.id, user.id],
    );
    for (const word of [rows[0]!.secret, rows[0]!.hash, app.secret, user.password, app.id, user.id, tenant.id])
      expect(text).not.toContain(word);
    expect(text).not.toMatch(/secret|password_hash|is_platform_admin|service_scopes|[0-9a-f]{8}-[0-9a-f]{4}-7/);
  });

  // security 4
  it('with credentials is allowed only for platform admins, and requires users', async () => {
    const own = await world.app(tenant);
    const member = await world.user(own);
    const passwordless = await world.user(own, { password: undefined });
    const [{ hash } = { hash: '' }] = await world.sql<{ hash: string }>(
      'SELECT password_hash AS hash FROM users WHERE id = $1',
      [member.id],
    );
    const query = '?include_users=true&include_credentials=true';
    const { users } = await fixture.exportApp(own.id, query);
    expect(Object.fromEntries(users!.map((user) => [user.email, user.password_hash]))).toEqual({
      [member.email]: hash,
      [passwordless.email]: null,
    });
    expect(JSON.stringify(await fixture.exportApp(own.id, '?include_credentials=true'))).not.toContain(hash);
    const admin = await world.tenantAdmin(tenant);
    const token = (await world.tokens(admin, tenant.consoleAppId)).access_token;
    for (const path of [`/admin/apps/${own.id}`, `/admin/tenants/${tenant.id}`]) {
      const refused = await world.call('GET', `${path}/export${query}`, undefined, { token });
      expect([refused.status, refused.body]).toEqual([403, { detail: 'Insufficient permissions' }]);
      expect((await world.call('GET', `${path}/export?include_users=true`, undefined, { token })).status).toBe(200);
    }
  });

  it('omits roles that the app no longer offers, and shows deactivated users as suspended', async () => {
    const own = await world.app(tenant);
    const [stale, off] = [await world.user(own, { roles: ['admin'] }), await world.user(own)];
    await world.asAdmin('PUT', `/admin/apps/${own.id}`, { config: { available_roles: ['user', 'editor'] } });
    await world.sql('UPDATE users SET is_active = false WHERE id = $1', [off.id]);
    const { users } = await fixture.exportApp(own.id);
    expect(users!.find((user) => user.email === stale.email)!.roles).toEqual(['user']);
    expect(users!.find((user) => user.email === off.email)!.status).toBe('suspended');
  });

  it('separates apps that are off themselves from those whose tenant is off', async () => {
    const own = await world.tenant();
    const [on, off] = [await world.app(own), await world.app(own)];
    await world.asAdmin('PUT', `/admin/apps/${off.id}`, { is_active: false });
    await world.asAdmin('PATCH', `/admin/tenants/${own.id}`, { is_active: false });
    const names = await world.sql<{ id: string; bundle_id: string }>('SELECT id, bundle_id FROM apps');
    const document = await fixture.exportTenant(own.id, '');
    expect(document.tenant['is_active']).toBe(false);
    const bundle = (id: string) => names.find((row) => row.id === id)!.bundle_id;
    expect(Object.fromEntries(document.apps.map((each) => [each['bundle_id'], each['is_active']]))).toEqual({
      [bundle(on.id)]: true,
      [bundle(off.id)]: false,
    });
  });

  // security 77
  it('contains no user of another app or tenant', async () => {
    const [own, sibling] = [await world.app(tenant), await world.app(tenant)];
    const foreign = await world.user(await world.app(await world.tenant()));
    const [mine, theirs] = [await world.user(own), await world.user(sibling)];
    const admin = await world.user(own, { roles: ['admin'] });
    const { access_token } = await world.tokens(admin, own.id);
    const answer = await world.call('GET', `/admin/apps/${own.id}/export?include_users=true`, undefined, {
      token: access_token,
    });
    expect(JSON.stringify(answer.body)).toContain(mine.email);
    for (const { email } of [theirs, foreign]) expect(JSON.stringify(answer.body)).not.toContain(email);
  });

  it('of an unknown id returns 404 to platform admins and 403 to others; of a Console app 403', async () => {
    const nothing = '00000000-0000-4000-8000-000000000000';
    const admin = await world.tenantAdmin(tenant);
    const token = (await world.tokens(admin, tenant.consoleAppId)).access_token;
    const get = (path: string, bearer: string) => world.call('GET', `${path}/export`, undefined, { token: bearer });
    for (const [path, detail] of [
      [`/admin/apps/${nothing}`, 'App not found'],
      [`/admin/tenants/${nothing}`, 'Tenant not found'],
    ] as const) {
      const [own, other] = [await get(path, world.admin.token), await get(path, token)];
      expect([own.status, own.body, other.status]).toEqual([404, { detail }, 403]);
    }
    for (const bearer of [world.admin.token, token])
      expect((await get(`/admin/apps/${tenant.consoleAppId}`, bearer)).status).toBe(403);
  });

  it('is audited with who exported what (security 108), and a rejected one only as denied', async () => {
    const own = await world.app(tenant);
    await fixture.exportApp(own.id, '?include_users=true&include_credentials=true');
    await fixture.exportApp(own.id, '');
    expect(await entries('app.exported', own.id)).toEqual([
      expect.objectContaining({
        metadata: { include_users: true, include_credentials: true },
        actor_id: world.admin.id,
        tenant_id: tenant.id,
      }),
      expect.objectContaining({ metadata: { include_users: false, include_credentials: false } }),
    ]);
    const other = await world.tenant();
    const before = (await entries('tenant.exported', tenant.id)).length;
    const token = (await world.tokens(await world.tenantAdmin(other), other.consoleAppId)).access_token;
    expect((await world.call('GET', `/admin/tenants/${tenant.id}/export`, undefined, { token })).status).toBe(403);
    expect(await entries('tenant.exported', tenant.id)).toHaveLength(before);
  });

  it('of an imported tenant contains the same apps, and the original export stays the same', async () => {
    const document = await fixture.exportTenant(tenant.id);
    const imported = await fixture.importTenant(document);
    expect(imported.status).toBe(201);
    const again = await fixture.exportTenant(imported.body.id);
    expect(again.apps.map((each) => each['name']).sort()).toEqual(document.apps.map((each) => each['name']).sort());
    expect(withoutTime(await fixture.exportTenant(tenant.id))).toEqual(withoutTime(document));
  });
});
