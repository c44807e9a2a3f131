import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { contentWords, visitConsole } from '../../support/console-visitor.js';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { sharedDatabaseUrl } from '../../support/test-database.js';
import { type TestUser, type TestClient, type TestTenant, unique, World } from '../../support/world.js';

/** The fields of a user for admins. */
const USER = [
  ...['created_at', 'display_name', 'email', 'email_verified', 'has_password', 'id', 'is_active'],
  ...['is_platform_admin', 'last_login_at', 'totp_enabled', 'updated_at'],
];
/** The fields of a user for a service token of the app. */
const MEMBER = ['created_at', 'display_name', 'email', 'email_verified', 'id', 'last_login_at', 'roles', 'status'];
const DETAIL = [...USER, 'devices', 'enrollments', 'linked_accounts', 'sessions', 'tenant_roles'].sort();

describe('User data in responses', () => {
  let service: SharedTestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;
  let member: TestUser;
  let tenantAdmin: TestUser;
  const tokens: Record<string, string> = {};

  beforeAll(async () => {
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, sharedDatabaseUrl());
    tenant = await world.tenant();
    app = await world.app(tenant);
    const elsewhere = await world.app(await world.tenant());
    member = await world.user(app, { roles: ['manager'] });
    await world.asAdmin('PUT', `/admin/users/${member.id}/roles`, { app_id: elsewhere.id, roles: ['user'] });
    await world.tokens(member, elsewhere.id);
    await world.sql(
      `INSERT INTO linked_accounts (id, user_id, provider, subject, email)
       VALUES (gen_random_uuid(), $1, 'github', $2, 'private@provider.example')`,
      [member.id, `sub-${unique()}`],
    );
    tenantAdmin = await world.tenantAdmin(tenant);
    const appAdmin = await world.user(app, { roles: ['admin'] });
    tokens['platform admin'] = world.admin.token;
    tokens['tenant admin'] = (await world.tokens(tenantAdmin, tenant.consoleAppId)).access_token;
    tokens['app admin'] = (await world.tokens(appAdmin, app.id)).access_token;
    tokens['service token'] = await world.serviceToken(app);
  });

  afterAll(() => world.close());

  type Row = Record<string, unknown> & { id: string };
  const list = async (who: string, query = `?app_id=${app.id}`): Promise<Row[]> => {
    const answer = await world.call<Row[]>('GET', `/admin/users${query}`, undefined, { token: tokens[who] });
    expect([who, answer.status]).toEqual([who, 200]);
    return answer.body;
  };
  const detail = (who: string) =>
    world.call<Row>('GET', `/admin/users/${member.id}/detail`, undefined, { token: tokens[who] });

  it.each(['platform admin', 'tenant admin', 'app admin'])(
    'contain every user field in a list for a %s',
    async (who) => {
      for (const user of await list(who)) expect(Object.keys(user).sort()).toEqual(USER);
    },
  );

  it.each(['', '?search=person', '?limit=1'])(
    'contain only the member’s fields in a list for a service token: %s',
    async (query) => {
      const users = await list('service token', query);
      expect(users.length).toBeGreaterThan(0);
      for (const user of users) expect(Object.keys(user).sort()).toEqual(MEMBER);
    },
  );

  it('contain roles, status and last sign-in of its own app for a service token', async () => {
    const found = (await list('service token')).find(({ id }) => id === member.id);
    expect(found).toMatchObject({ roles: ['user', 'manager'], status: 'active', last_login_at: null });
    await world.tokens(member, app.id);
    const since = (await list('service token')).find(({ id }) => id === member.id)!;
    expect(since['last_login_at']).toEqual(expect.stringMatching(/Z$/));
    await world.asAdmin('POST', `/admin/users/${member.id}/suspend`, { app_id: app.id });
    const suspended = (await list('service token')).find(({ id }) => id === member.id);
    expect(suspended).toMatchObject({ status: 'suspended' });
    await world.asAdmin('PUT', `/admin/users/${member.id}/apps/${app.id}/reactivate`);
  });

  it('contain only the member’s fields of a new user for a service token', async () => {
    const body = { email: `made-${unique()}@example.com`, display_name: 'Made' };
    const made = await world.call<Row>('POST', '/admin/users', body, { token: tokens['service token'] });
    expect([made.status, Object.keys(made.body).sort()]).toEqual([201, MEMBER]);
    expect(made.body).toMatchObject({ ...body, email_verified: false, roles: ['user'], status: 'active' });
    expect(made.body['last_login_at']).toBeNull();
    const more = { ...body, email: `made-${unique()}@example.com` };
    const byAdmin = await world.call<Row>('POST', '/admin/users', more, { token: tokens['tenant admin'] });
    expect([byAdmin.status, Object.keys(byAdmin.body).sort()]).toEqual([201, USER]);
  });

  it('are refused with 403 in search and detail to a service token', async () => {
    for (const path of [`/admin/users/${member.id}/detail`, '/admin/users/search?q=person'])
      expect((await world.call('GET', path, undefined, { token: tokens['service token'] })).status).toBe(403);
  });

  it('contain linked accounts in the detail for platform admins only', async () => {
    const shown = async (who: string) => {
      const { status, body } = await detail(who);
      expect([who, status, Object.keys(body).sort()]).toEqual([who, 200, DETAIL]);
      return body['linked_accounts'];
    };
    expect(await shown('platform admin')).toMatchObject([{ provider: 'github', email: 'private@provider.example' }]);
    expect(await shown('tenant admin')).toEqual([]);
    expect(await shown('app admin')).toEqual([]);
  });

  it('contain linked accounts on the Console page for platform admins only', async () => {
    const page = `/console/users/${member.id}`;
    const words = async (who: TestUser) => contentWords(await (await visitConsole(world, who)).get(page));
    expect(await words(world.admin)).toContain('Linked accounts GitHub private@provider.example');
    const forTenant = await words(tenantAdmin);
    expect(forTenant).toContain('Authenticator app');
    expect(forTenant).not.toMatch(/Linked accounts|private@provider/);
  });

  it('contain linked accounts in an export for platform admins only', async () => {
    for (const path of [`/admin/apps/${app.id}/export`, `/admin/tenants/${tenant.id}/export`])
      for (const [who, expected] of [
        ['platform admin', true],
        ['tenant admin', false],
      ] as const) {
        const answer = await world.call('GET', `${path}?include_users=true`, undefined, { token: tokens[who] });
        const text = JSON.stringify(answer.body);
        expect([path, who, answer.status, text.includes(member.email)]).toEqual([path, who, 200, true]);
        expect([path, who, text.includes('private@provider.example')]).toEqual([path, who, expected]);
      }
  });
});
