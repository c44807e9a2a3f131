import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { databaseFingerprint } from '../../support/database-fingerprint.js';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { quietOutbox } from '../../support/quiet-outbox.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { type TestUser, type TestClient, type TestTenant, World } from '../../support/world.js';

describe('DELETE /admin/users/{user_id}', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;

  beforeAll(async () => {
    database = await freshDatabase();
    service = await startTestApp({ settings: { databaseUrl: database.url } });
    world = await World.open(service.baseUrl, database.url);
    tenant = await world.tenant();
    app = await world.app(tenant);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  const remove = (id: string, options: { token?: string; body?: unknown; query?: string } = {}) =>
    world.call('DELETE', `/admin/users/${id}${options.query ?? ''}`, options.body, {
      token: options.token ?? world.admin.token,
    });

  /** The number of rows that contain the user's id, by table. */
  async function rowsOf(userId: string): Promise<Record<string, number>> {
    const columns = await world.sql<{ table_name: string; column_name: string }>(
      `SELECT c.table_name, c.column_name FROM information_schema.columns c
       JOIN information_schema.tables t USING (table_schema, table_name)
       WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE' AND c.data_type = 'uuid'`,
    );
    const found: Record<string, number> = {};
    for (const { table_name, column_name } of columns) {
      const [row] = await world.sql<{ count: number }>(
        `SELECT count(*)::int AS count FROM "${table_name}" WHERE "${column_name}" = $1`,
        [userId],
      );
      if (row!.count > 0) found[table_name] = (found[table_name] ?? 0) + row!.count;
    }
    return found;
  }

  /** A user with rows in many tables. */
  const wellKnown = async (): Promise<{ user: TestUser; browser: HostedBrowser }> => {
    const user = await world.user(app);
    await world.asAdmin('PUT', `/admin/users/${user.id}/roles`, { app_id: tenant.consoleAppId, roles: [] });
    const browser = new HostedBrowser(world.baseUrl);
    await browser.signIn(loginPath(app), user.email, user.password);
    await world.call('POST', '/auth/forgot-password', { email: user.email, app_id: app.id });
    const gone = await world.app(tenant);
    await world.asAdmin('PUT', `/admin/users/${user.id}/roles`, { app_id: gone.id, roles: [] });
    await world.asAdmin('DELETE', `/admin/users/${user.id}/apps/${gone.id}`);
    return { user, browser };
  };

  it('deletes every row of the user except audit entries, and records it for each tenant', async () => {
    const { user } = await wellKnown();
    await world.tokens(user, app.id);
    const before = await rowsOf(user.id);
    expect(Object.keys(before)).toEqual(
      expect.arrayContaining(['enrollments', 'ended_enrollments', 'refresh_families', 'sso_sessions', 'users']),
    );
    const answer = await remove(user.id);
    expect([answer.status, answer.body]).toEqual([200, { status: 'ok' }]);
    expect(await rowsOf(user.id)).toEqual({ audit_entries: expect.any(Number) });
    const entries = await world.sql(
      `SELECT action, tenant_id, metadata FROM audit_entries
       WHERE user_id = $1 AND (action = 'user.deleted' OR metadata ->> 'reason' = 'user_deleted') ORDER BY action`,
      [user.id],
    );
    expect(entries).toMatchObject([
      { action: 'enrollment.removed', tenant_id: tenant.id, metadata: { reason: 'user_deleted' } },
      { action: 'enrollment.removed', tenant_id: tenant.id, metadata: { reason: 'user_deleted' } },
      { action: 'user.deleted', tenant_id: null, metadata: { email: user.email, is_platform_admin: false } },
    ]);
  });

  it('takes effect at once for sign-in, refresh, userinfo, the admin API and SSO', async () => {
    const { user, browser } = await wellKnown();
    const admin = await world.tokens(user, tenant.consoleAppId);
    const tokens = await world.tokens(user, app.id);
    const userinfo = () => world.call('GET', '/userinfo', undefined, { token: tokens.access_token });
    expect((await userinfo()).status).toBe(200);
    await remove(user.id);
    expect((await userinfo()).status).toBe(401);
    expect((await world.call('GET', '/admin/users', undefined, { token: admin.access_token })).status).toBe(401);
    const { refresh_token } = tokens;
    expect((await world.call('POST', '/token/refresh', { refresh_token, app_id: app.id })).status).toBe(401);
    expect((await world.login(user, app.id)).status).toBe(401);
    const page = await browser.get(loginPath(app));
    expect([page.status, page.location]).toEqual([200, null]);
    expect(page.body).toContain('name="password"');
    expect(page.body).not.toContain(user.email);
  });

  it('releases the email address for a new account without data of the old account', async () => {
    const { user } = await wellKnown();
    await remove(user.id);
    const again = await world.asAdmin<{ id: string }>('POST', '/admin/users', {
      email: user.email,
      display_name: 'Another',
    });
    expect(again.id).not.toBe(user.id);
    const detail = await world.asAdmin<{ enrollments: unknown[]; has_password: boolean }>(
      'GET',
      `/admin/users/${again.id}/detail`,
    );
    expect([detail.enrollments, detail.has_password]).toEqual([[], false]);
  });

  it('returns 403 to all except platform admins with a Console token', async () => {
    const { user } = await wellKnown();
    const admin = await world.tenantAdmin(tenant);
    const { access_token: token } = await world.tokens(admin, tenant.consoleAppId);
    const answer = await remove(user.id, { token });
    expect([answer.status, answer.body]).toEqual([403, { detail: 'Insufficient permissions' }]);
    // Also an app admin, so that the route accepts the token.
    const platformInOrdinaryApp = await world.user(app, { is_platform_admin: true, roles: ['admin'] });
    const { access_token: cut } = await world.tokens(platformInOrdinaryApp, app.id);
    expect((await remove(user.id, { token: cut })).status).toBe(403);
    expect((await world.login(user, app.id)).status).toBe(200);
  });

  // security 83
  it('returns 422 for an invalid or misspelled app_id and deletes nothing', async () => {
    const { id } = await world.user(app);
    await quietOutbox(world);
    const before = await databaseFingerprint(world);
    for (const app_id of [null, '', [], {}, [app.id], { id: app.id }, 0, true, false, 'all', '*', ' '])
      expect([app_id, (await remove(id, { body: { app_id } })).status]).toEqual([app_id, 422]);
    for (const query of ['?app_id=', '?app_id=null', '?app_id[]=x', '?app_id', `?app_id=${app.id}&app_id=${app.id}`])
      expect([query, (await remove(id, { query })).status]).toEqual([query, 422]);
    for (const field of ['appId', 'app', 'app_ids', 'APP_ID', 'app_id '])
      for (const request of [{ body: { [field]: app.id } }, { query: `?${encodeURIComponent(field)}=${app.id}` }]) {
        const answer = await remove(id, request);
        expect([field, answer.status]).toEqual([field, 422]);
        expect(answer.body['detail']).toMatchObject([{ type: 'extra_forbidden' }]);
      }
    expect(await databaseFingerprint(world)).toEqual(before);
  });

  it('succeeds once for parallel requests', async () => {
    const { id } = await world.user(app);
    const answers = await Promise.all([remove(id), remove(id), remove(id)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
    expect(
      await world.sql(`SELECT 1 FROM audit_entries WHERE user_id = $1 AND action = 'user.deleted'`, [id]),
    ).toHaveLength(1);
  });

  it('is preceded by GET …/impact, which counts what would be deleted', async () => {
    const { user } = await wellKnown();
    const nobody = await world.user();
    await world.sql(
      `INSERT INTO linked_accounts (id, user_id, provider, subject) VALUES (gen_random_uuid(), $1, 'google', $2)`,
      [user.id, user.id],
    );
    const { access_token: token } = await world.tokens(user, tenant.consoleAppId);
    for (let made = 0; made < 2; made++)
      await world.call('POST', `/admin/apps/${app.id}/invites`, { app_id: app.id, roles: ['user'] }, { token });
    await world.tokens(user, app.id);
    await world.tokens(user, app.id, { device_id: 'phone' });
    for (const resource of ['', 'https://api.example'])
      await world.sql(
        `INSERT INTO consents (user_id, app_id, resource, scopes, asked) VALUES ($1, $2, $3, '{email}', '{email}')`,
        [user.id, app.id, resource],
      );
    expect(await world.asAdmin('GET', `/admin/users/${user.id}/impact`)).toEqual({
      user_id: user.id,
      email: user.email,
      enrollments: 2,
      refresh_tokens: 3,
      sso_sessions: 4,
      linked_accounts: 1,
      passkeys: 0,
      consents: 1,
      push_devices: 0,
      notifications: 0,
      invites_created: 2,
      tenant_admin_of: [{ tenant_id: tenant.id, tenant_name: tenant.name }],
      is_platform_admin: false,
      is_last_platform_admin: false,
    });
    expect(await world.asAdmin('GET', `/admin/users/${nobody.id}/impact`)).toMatchObject({
      enrollments: 0,
      refresh_tokens: 0,
      sso_sessions: 0,
      tenant_admin_of: [],
    });
    await world.sql('UPDATE users SET is_platform_admin = (id = $1)', [world.admin.id]);
    expect(await world.asAdmin('GET', `/admin/users/${world.admin.id}/impact`)).toMatchObject({
      is_platform_admin: true,
      is_last_platform_admin: true,
    });
    const second = await world.user(undefined, { is_platform_admin: true });
    for (const { id } of [world.admin, second])
      expect(await world.asAdmin('GET', `/admin/users/${id}/impact`)).toMatchObject({ is_last_platform_admin: false });
  });
});
