import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { type Answer, PASSWORD, type TestClient, type TestTenant, unique, World } from '../../support/world.js';

type UserBody = Record<string, unknown> & { id: string; detail?: unknown };

describe('POST /admin/users and GET /admin/users/{user_id}/detail', () => {
  let service: SharedTestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;
  let tenantAdmin: string;

  beforeAll(async () => {
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    tenant = await world.tenant({ min_password_length: 12 });
    app = await world.app(tenant);
    tenantAdmin = (await world.tokens(await world.tenantAdmin(tenant), tenant.consoleAppId)).access_token;
  });

  afterAll(() => world.close());

  const create = (fields: object = {}, token = world.admin.token): Promise<Answer<UserBody>> =>
    world.call(
      'POST',
      '/admin/users',
      { email: `u-${unique()}@example.com`, display_name: 'Grace', ...fields },
      { token },
    );
  const detail = (id: string, token = world.admin.token) =>
    world.call<UserBody>('GET', `/admin/users/${id}/detail`, undefined, { token });

  it('create an account without a password, with every field and its default', async () => {
    const email = `Grace.Hopper-${unique()}@Example.com`;
    const answer = await create({ email });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      email,
      display_name: 'Grace',
      email_verified: true,
      is_active: true,
      is_platform_admin: false,
      has_password: false,
      totp_enabled: false,
      last_login_at: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    const login = await world.login({ ...(answer.body as { id: string }), email, password: PASSWORD }, app.id);
    expect(login.body.detail).toBe('Invalid email or password');
  });

  it('return 409 for an email address in use, in any spelling', async () => {
    const email = `ada-${unique()}@example.com`;
    await create({ email });
    for (const twin of [email, email.toUpperCase(), ` ${email} `]) {
      const answer = await create({ email: twin });
      expect([twin, answer.status, answer.body]).toEqual([twin, 409, { detail: 'User already exists' }]);
    }
  });

  it('return 400 for a password shorter than the platform’s or the tenant’s minimum', async () => {
    const tooShort = await create({ password: 'seven77' });
    expect([tooShort.status, tooShort.body.detail]).toEqual([400, 'Password must be at least 8 characters']);
    const forTenant = await create({ password: 'eleven-1234', app_id: app.id });
    expect([forTenant.status, forTenant.body.detail]).toEqual([400, 'Password must be at least 12 characters']);
    expect((await create({ password: 'eleven-1234' })).status).toBe(201);
    expect((await create({ password: 'x'.repeat(257) })).status).toBe(422);
    expect((await create({ password: 'with\0nul-byte' })).status).toBe(422);
  });

  it('enroll the user in the given app with its default roles or the given roles', async () => {
    const plain = await create({ app_id: app.id, password: PASSWORD });
    const editor = await create({ app_id: app.id, roles: ['manager'] });
    const rolesOf = async (id: string) =>
      ((await detail(id)).body['enrollments'] as { app_id: string; roles: string[]; status: string }[]).map(
        ({ app_id, roles, status }) => [app_id, roles, status],
      );
    expect(await rolesOf(plain.body.id)).toEqual([[app.id, ['user'], 'active']]);
    expect(await rolesOf(editor.body.id)).toEqual([[app.id, ['user', 'manager'], 'active']]);
  });

  it('create no account if the enrollment is refused, and reveal none', async () => {
    const other = await world.app(await world.tenant());
    const email = `nobody-${unique()}@example.com`;
    const known = await world.user(other);
    for (const [fields, token, status] of [
      [{ app_id: app.id, roles: ['emperor'] }, world.admin.token, 422],
      [{ roles: ['user'] }, world.admin.token, 422],
      [{ app_id: '00000000-0000-4000-8000-000000000000' }, world.admin.token, 404],
      [{ app_id: other.id }, tenantAdmin, 403],
      [{ app_id: world.platformConsoleId }, tenantAdmin, 403],
      [{ is_platform_admin: true }, tenantAdmin, 403],
      [{ app_id: app.id, password: '1' }, tenantAdmin, 400],
    ] as const) {
      const answers = [
        await create({ email, ...fields }, token),
        await create({ email: known.email, ...fields }, token),
      ];
      expect([fields, ...answers.map((answer) => answer.status)]).toEqual([fields, status, status]);
      expect(answers[1]!.body).toEqual(answers[0]!.body);
    }
    expect(await world.sql('SELECT id FROM users WHERE email_canonical = $1', [email])).toEqual([]);
  });

  // security 27
  it('accept email_verified from platform admins only', async () => {
    const serviceToken = await world.serviceToken(app, 'users:create');
    expect((await create({ email_verified: false })).body['email_verified']).toBe(false);
    expect((await create({ email_verified: true })).body['email_verified']).toBe(true);
    expect((await create({ email_verified: true }, tenantAdmin)).body['email_verified']).toBe(false);
    expect((await create({ email_verified: true }, serviceToken)).body['email_verified']).toBe(false);
  });

  // security 80
  it('let a service token create ordinary members of its own app only', async () => {
    const token = await world.serviceToken(app, 'users:create');
    const sibling = await world.app(tenant);
    const made = await create({}, token);
    expect(made.status).toBe(201);
    expect((await detail(made.body.id)).body['enrollments']).toMatchObject([{ app_id: app.id, roles: ['user'] }]);
    for (const fields of [
      { app_id: sibling.id },
      { app_id: tenant.consoleAppId },
      { roles: ['admin'] },
      { roles: ['user', 'manager'] },
    ])
      expect([fields, (await create(fields, token)).status]).toEqual([fields, 403]);
  });

  it('let no service token create an administrator, also where the app gives all who join that role', async () => {
    const generous = await world.app(tenant, {
      registration_policy: 'approval',
      config: { auto_assign_roles: ['user', 'admin'] },
    });
    const token = await world.serviceToken(generous, 'users:create');
    expect((await create({}, token)).status).toBe(403);
    const made = await create({ roles: ['user'] }, token);
    expect((await detail(made.body.id)).body['enrollments']).toMatchObject([{ app_id: generous.id, roles: ['user'] }]);
  });

  it('return enrollments, tenant roles and sessions, and no password hash', async () => {
    const user = await world.user(app, { roles: ['admin'] });
    await world.asAdmin('PUT', `/admin/users/${user.id}/roles`, { app_id: tenant.consoleAppId, roles: ['user'] });
    await world.tokens(user, app.id);
    const { status, body } = await detail(user.id);
    expect(status).toBe(200);
    const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
    expect(body).toMatchObject({ id: user.id, email: user.email, has_password: true, last_login_at: timestamp });
    expect(body['enrollments']).toEqual(
      expect.arrayContaining([
        {
          app_id: app.id,
          app_name: expect.stringMatching(/^App /),
          tenant_id: tenant.id,
          roles: ['user', 'admin'],
          status: 'active',
          created_at: timestamp,
          last_login_at: timestamp,
        },
      ]),
    );
    expect(body['tenant_roles']).toEqual([{ tenant_id: tenant.id, tenant_name: tenant.name, role: 'tenant_admin' }]);
    expect(body['sessions']).toHaveLength(1);
    expect(body['linked_accounts']).toEqual([]);
    expect(JSON.stringify(body)).not.toMatch(/hash|\$2[aby]\$/);
  });

  // security 77
  it('return to an admin only data that they administer', async () => {
    const foreignTenant = await world.tenant();
    const foreign = await world.app(foreignTenant);
    const sibling = await world.app(tenant);
    const user = await world.user(app);
    for (const id of [sibling.id, foreign.id, foreignTenant.consoleAppId, tenant.consoleAppId])
      await world.asAdmin('PUT', `/admin/users/${user.id}/roles`, { app_id: id, roles: ['user'] });
    await world.tokens(user, foreign.id);
    const appAdmin = (await world.tokens(await world.user(app, { roles: ['admin'] }), app.id)).access_token;
    const appsIn = (body: UserBody) =>
      (body['enrollments'] as { app_id: string }[]).map((enrollment) => enrollment.app_id).sort();

    const forTenant = (await detail(user.id, tenantAdmin)).body;
    expect(appsIn(forTenant)).toEqual([app.id, sibling.id, tenant.consoleAppId].sort());
    expect(forTenant['tenant_roles']).toMatchObject([{ tenant_id: tenant.id }]);
    expect(forTenant['sessions']).toEqual([]);
    const forApp = (await detail(user.id, appAdmin)).body;
    expect([appsIn(forApp), forApp['tenant_roles'], forApp['sessions']]).toEqual([[app.id], [], []]);
    for (const foreignWord of [foreign.id, foreignTenant.id, foreignTenant.name])
      expect(JSON.stringify([forTenant, forApp])).not.toContain(foreignWord);
    expect(appsIn((await detail(user.id)).body)).toHaveLength(5);
  });

  // security 76
  it('return 404 for a user outside the caller’s tenant, as for an unknown id', async () => {
    const stranger = await world.user(await world.app(await world.tenant()));
    const [foreign, absent] = [
      await detail(stranger.id, tenantAdmin),
      await detail('00000000-0000-4000-8000-000000000000', tenantAdmin),
    ];
    expect([foreign.status, foreign.body]).toEqual([404, { detail: 'User not found' }]);
    expect([absent.status, absent.body]).toEqual([foreign.status, foreign.body]);
  });

  it('get no audit entry for the roles that they have, because entries cannot be deleted', async () => {
    const user = await world.user(app);
    const set = (...roles: string[]) =>
      world.asAdmin('PUT', `/admin/users/${user.id}/roles`, { app_id: app.id, roles });
    for (const roles of [['manager'], ['manager', 'user'], ['user', 'manager']]) await set(...roles);
    const sql = `SELECT metadata FROM audit_entries WHERE action = 'enrollment.roles_changed' AND user_id = $1`;
    expect(await world.sql(sql, [user.id])).toEqual([
      { metadata: expect.objectContaining({ before: ['user'], after: ['user', 'manager'] }) },
    ]);
  });
});
