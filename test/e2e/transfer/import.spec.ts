import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { databaseFingerprint } from '../../support/database-fingerprint.js';
import { TransferFixture } from '../../support/transfer-fixture.js';
import { type TestTenant, unique, type World } from '../../support/world.js';

describe('Import', () => {
  let fixture: TransferFixture;
  let world: World;
  let tenant: TestTenant;

  beforeAll(async () => {
    fixture = await TransferFixture.open();
    world = fixture.world;
    tenant = await world.tenant();
  });

  afterAll(() => fixture.close());

  const anApp = (fields: object = {}) => ({ name: 'Shop', bundle_id: `com.example.${unique()}`, ...fields });
  const aUser = (fields: object = {}) => ({ email: `new-${unique()}@example.com`, display_name: 'Neu', ...fields });
  const row = async (table: string, id: string) =>
    (await world.sql<Record<string, unknown>>(`SELECT * FROM ${table} WHERE id = $1`, [id]))[0]!;

  it('of an app returns a new id, a new bundle id and a working client secret', async () => {
    const app = anApp({ registration_policy: 'open', config: { redirect_uris: ['https://shop.example/cb'] } });
    const { status, body } = await fixture.importApp({ tenant_id: tenant.id, app });
    expect([status, body]).toEqual([
      201,
      expect.objectContaining({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        tenant_id: tenant.id,
        name: 'Shop',
        bundle_id: expect.stringMatching(new RegExp(`^${app.bundle_id}\\.imported-[a-z2-9]{4}$`)),
        bundle_id_kept: false,
        registration_policy: 'open',
        is_console_app: false,
        users: { created: 0, enrolled: 0, unchanged: [] },
      }),
    ]);
    await world.serviceToken({ id: body.id, tenantId: tenant.id, secret: body.client_secret, redirectUri: '' });
    expect(JSON.stringify(await fixture.exportApp(body.id))).not.toContain(body.client_secret);
  });

  it('keeps the bundle id on request, and fails then if it is taken', async () => {
    const app = anApp();
    const kept = await fixture.importApp({ tenant_id: tenant.id, app, preserve_bundle_id: true });
    expect([kept.status, kept.body.bundle_id, kept.body.bundle_id_kept]).toEqual([201, app.bundle_id, true]);
    for (const query of ['', '?dry_run=true']) {
      const again = await fixture.importApp({ tenant_id: tenant.id, app, preserve_bundle_id: true }, undefined, query);
      expect([again.status, again.body]).toEqual([409, { detail: 'Bundle ID already exists' }]);
    }
    const renewed = await fixture.importApp({ tenant_id: tenant.id, app });
    expect([renewed.status, renewed.body.bundle_id_kept]).toEqual([201, false]);
    const long = await fixture.importApp({ tenant_id: tenant.id, app: anApp({ bundle_id: 'x'.repeat(255) }) });
    expect([long.status, long.body.bundle_id.length]).toEqual([201, 255]);
  });

  it('of a tenant returns its apps, with bundle ids kept if they are free, and its own Console', async () => {
    const [free, taken] = [anApp(), anApp()];
    await fixture.importApp({ tenant_id: tenant.id, app: taken, preserve_bundle_id: true });
    const slug = `t-${unique()}`;
    const { status, body } = await fixture.importTenant({ tenant: { name: 'Übermut', slug }, apps: [free, taken] });
    expect([status, body.slug, body.apps.map((app) => app.bundle_id_kept)]).toEqual([201, slug, [true, false]]);
    expect(body.apps[0]!.bundle_id).toBe(free.bundle_id);
    expect(body.apps[1]!.bundle_id).toMatch(new RegExp(`^${taken.bundle_id}\\.imported-`));
    const rows = await world.sql<{ is_console_app: boolean }>('SELECT * FROM apps WHERE tenant_id = $1', [body.id]);
    expect(rows.filter((each) => each.is_console_app)).toHaveLength(1);
    const listed = await world.asAdmin<Record<string, unknown>[]>('GET', '/admin/tenants');
    const { apps: _apps, users: _users, ...fields } = body;
    expect(fields).toEqual(listed.find((each) => each['id'] === body.id));
    const again = await fixture.importTenant({ tenant: { name: 'Übermut', slug } });
    expect([again.status, again.body.slug]).toEqual([201, `${slug}-2`]);
    const long = 'a'.repeat(63);
    expect((await fixture.importTenant({ tenant: { name: 'x', slug: long } })).body.slug).toBe(long);
    expect((await fixture.importTenant({ tenant: { name: 'x', slug: long } })).body.slug).toBe(`${'a'.repeat(58)}-2`);
  });

  it('derives a bundle id from the name if the document has none', async () => {
    const { body } = await fixture.importTenant({
      tenant: { name: 'x' },
      apps: [{ name: 'Läden' }, { name: 'Läden' }],
    });
    expect(body.apps.map((app) => [app.bundle_id.replace(/-\w{4}$/, ''), app.bundle_id_kept])).toEqual([
      ['app.laden', false],
      ['app.laden.imported', false],
    ]);
  });

  it('switches the apps of a tenant that is off like PATCH does', async () => {
    const apps = [anApp({ is_active: true }), anApp({ is_active: false })];
    const { body } = await fixture.importTenant({ tenant: { name: 'x', is_active: false }, apps });
    const active = async () =>
      (
        await world.sql<{ is_active: boolean }>(
          'SELECT is_active FROM apps WHERE tenant_id = $1 AND NOT is_console_app ORDER BY created_at, id',
          [body.id],
        )
      ).map((each) => each.is_active);
    expect(await active()).toEqual([false, false]);
    await world.asAdmin('PATCH', `/admin/tenants/${body.id}`, { is_active: true });
    expect((await active()).sort()).toEqual([false, true]);
  });

  it('creates users with their roles and status, and enrolls them', async () => {
    const users = [
      aUser({ roles: ['admin'], status: 'suspended', email_verified: true }),
      aUser({ status: 'pending' }),
      aUser(),
    ];
    const { body } = await fixture.importApp({ tenant_id: tenant.id, app: anApp(), users });
    expect(body.users).toEqual({ created: 3, enrolled: 0, unchanged: [] });
    const rows = await world.sql(
      `SELECT u.email, u.display_name, u.email_verified, u.password_hash, u.is_platform_admin, e.roles, e.status
       FROM users u JOIN enrollments e ON e.user_id = u.id WHERE e.app_id = $1`,
      [body.id],
    );
    const plain = { display_name: 'Neu', email_verified: false, password_hash: null, is_platform_admin: false };
    expect(rows.sort((a, b) => String(a['status']).localeCompare(String(b['status'])))).toEqual([
      { ...plain, email: users[2]!.email, roles: ['user'], status: 'active' },
      { ...plain, email: users[1]!.email, roles: ['user'], status: 'pending' },
      { ...plain, email: users[0]!.email, email_verified: true, roles: ['user', 'admin'], status: 'suspended' },
    ]);
    const actions = await world.sql<{ action: string; n: number }>(
      `SELECT action, count(*)::int AS n FROM audit_entries
       WHERE (app_id = $1 OR user_id IN (SELECT user_id FROM enrollments WHERE app_id = $1)) GROUP BY action`,
      [body.id],
    );
    expect(Object.fromEntries(actions.map(({ action, n }) => [action, n]))).toEqual({
      'app.imported': 1,
      'enrollment.created': 2,
      'enrollment.pending': 1,
      'user.created': 3,
    });
  });

  it('imports a user of several apps as one account', async () => {
    const user = aUser({ roles: ['user'] });
    const { body } = await fixture.importTenant({
      tenant: { name: 'x' },
      apps: [anApp({ users: [user] }), anApp({ users: [{ ...user, email: user.email, roles: ['manager'] }] })],
    });
    expect(body.users).toEqual({ created: 1, enrolled: 0, unchanged: [] });
    const rows = await world.sql(
      'SELECT e.roles FROM enrollments e JOIN users u ON u.id = e.user_id WHERE u.email = $1',
      [user.email],
    );
    expect(rows).toHaveLength(2);
  });

  // security 78, 114
  it('ignores fields that only the service may set', async () => {
    const extra = {
      id: tenant.id,
      client_secret: 'chosen',
      client_secret_hash: 'AAAA',
      service_scopes: ['apps:write'],
      serviceScopes: ['apps:write'],
      is_console_app: true,
      isConsoleApp: true,
      is_platform: true,
      is_platform_admin: true,
      isPlatformAdmin: true,
      is_active: true,
      tokens_valid_from: '2099-01-01T00:00:00Z',
      created_at: '2000-01-01T00:00:00Z',
      push: { enabled: true },
      push_enabled: true,
      totp_enabled: true,
    };
    const user = aUser(extra);
    const { body, status } = await fixture.importTenant({
      ...extra,
      tenant: { name: 'x', ...extra },
      apps: [{ ...anApp(), ...extra, config: { ...extra, branding: extra }, users: [user] }],
    });
    expect(status).toBe(201);
    expect(await row('tenants', body.id)).toMatchObject({ is_platform: false });
    const app = await row('apps', body.apps[0]!.id);
    expect(app).toMatchObject({
      is_console_app: false,
      push_enabled: false,
      service_scopes: ['push:send', 'users:read', 'users:create', 'invites:create'],
    });
    expect(Object.keys(app['config'] as object)).not.toContain('is_console_app');
    const [made] = await world.sql('SELECT * FROM users WHERE email = $1', [user.email]);
    expect(made).toMatchObject({ is_platform_admin: false, tokens_valid_from: -Infinity });
    expect([body.id, body.apps[0]!.id, made!['id']]).not.toContain(tenant.id);
    for (const each of [app, made!]) expect((each['created_at'] as Date).getFullYear()).toBeGreaterThan(2000);
  });

  // security 80
  it('enrolls no user into a Console app, and creates none', async () => {
    const consoles = async () =>
      world.sql(
        `SELECT a.id, count(e.user_id)::int AS n FROM apps a LEFT JOIN enrollments e ON e.app_id = a.id
         WHERE a.is_console_app AND a.tenant_id = $1 GROUP BY a.id`,
        [tenant.id],
      );
    const before = await consoles();
    for (const bundle_id of ['console.mine', `console.${tenant.id}`, 'Console.Mine', 'CONSOLE.x']) {
      for (const preserve_bundle_id of [true, false]) {
        const app = { name: 'Console', bundle_id, is_console_app: true };
        const users = [aUser({ roles: ['admin'] })];
        const refused = await fixture.importApp({ tenant_id: tenant.id, app, users, preserve_bundle_id });
        expect([bundle_id, refused.status, refused.body]).toEqual([
          bundle_id,
          403,
          { detail: 'Insufficient permissions' },
        ]);
        expect((await fixture.importTenant({ tenant: { name: 'x' }, apps: [{ ...app, users }] })).status).toBe(403);
      }
    }
    const app = anApp({ id: tenant.consoleAppId, app_id: tenant.consoleAppId, is_console_app: true });
    const users = [aUser({ app_id: tenant.consoleAppId, roles: ['admin'] })];
    const made = await fixture.importApp({ tenant_id: tenant.id, app, users, app_id: tenant.consoleAppId });
    expect(made.status).toBe(201);
    expect(await consoles()).toEqual(before);
    expect((await row('apps', made.body.id))['is_console_app']).toBe(false);
  });

  it('returns 403 to a caller without the right, for every content', async () => {
    const other = await world.tenant();
    const admin = await world.tokens(await world.tenantAdmin(other), other.consoleAppId);
    const before = await databaseFingerprint(world);
    for (const query of ['', '?dry_run=true']) {
      const answers = [
        await fixture.importApp({ tenant_id: tenant.id, app: anApp() }, admin.access_token, query),
        await fixture.importApp(
          { tenant_id: '00000000-0000-4000-8000-000000000000', app: anApp() },
          admin.access_token,
          query,
        ),
        await fixture.importTenant({ tenant: { name: 'x' }, apps: [] }, admin.access_token, query),
      ];
      for (const { status, body } of answers)
        expect([status, body]).toEqual([403, { detail: 'Insufficient permissions' }]);
      const nowhere = { tenant_id: '00000000-0000-4000-8000-000000000000', app: anApp() };
      const answer = await fixture.importApp(nowhere, undefined, query);
      expect([answer.status, answer.body]).toEqual([404, { detail: 'Tenant not found' }]);
    }
    expect(await databaseFingerprint(world)).toEqual(before);
  });
});
