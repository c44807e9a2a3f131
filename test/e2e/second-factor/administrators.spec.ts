import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DueChangesJob } from '../../../src/operators/scheduled-changes/execution/due-changes.job.js';
import { codeAt } from '../../support/authenticator.js';
import { HostedBrowser } from '../../support/hosted-page.js';
import { enroll, forgetSteps, secretOn, totpSession, verify } from '../../support/second-factor.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { PASSWORD, type TestUser, type TestClient, type TestTenant, World } from '../../support/world.js';

const REQUIRED = { detail: { error: '2fa_required', setup_token: expect.any(String) } };
const DENIED = [403, { detail: 'Insufficient permissions' }];

/** Two services on one database: the first makes users without the demand, the second makes the demand. */
describe('Administrators with REQUIRE_ADMIN_2FA', () => {
  let database: TestDatabase;
  let lenient: TestApp;
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;

  beforeAll(async () => {
    database = await freshDatabase();
    const settings = { databaseUrl: database.url, rateLimits: { enabled: false, overrides: {} } };
    lenient = await startTestApp({ settings });
    service = await startTestApp({ settings: { ...settings, baseUrl: lenient.baseUrl, requireAdmin2fa: true } });
    world = await World.open(lenient.baseUrl, database.url);
    tenant = await world.tenant();
    app = await world.app(tenant);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await lenient.close();
    await database.drop();
  });

  const own = () => `http://127.0.0.1:${service.settings.port}`;

  async function call(method: string, path: string, body?: unknown, token?: string) {
    const headers = { 'Content-Type': 'application/json', ...(token ? { Authorization: `Bearer ${token}` } : {}) };
    const answer = await fetch(own() + path, {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  }

  const login = ({ email }: TestUser, app_id: string) =>
    call('POST', '/auth/login', { email, password: PASSWORD, app_id });
  const platformAdmin = () => world.user(undefined, { is_platform_admin: true });

  it('of the platform must set up a second factor at the JSON sign-in, and sign in with it', async () => {
    const user = await platformAdmin();
    const refused = await login(user, world.platformConsoleId);
    expect([refused.status, refused.body]).toEqual([403, REQUIRED]);
    const setupToken = (refused.body['detail'] as { setup_token: string }).setup_token;
    const setup = await call('POST', '/account/totp/setup', {}, setupToken);
    const secret = setup.body['secret'] as string;
    expect((await call('POST', '/account/totp/confirm', { code: codeAt(secret) }, setupToken)).status).toBe(200);
    await forgetSteps(world, user);
    const asked = await login(user, world.platformConsoleId);
    const { totp_session } = asked.body as { totp_session: string };
    const entered = await call('POST', '/auth/totp/verify', { totp_session, code: codeAt(secret) });
    expect(entered.status).toBe(200);
    const listed = await call('GET', '/admin/tenants', undefined, entered.body['access_token'] as string);
    expect(listed.status).toBe(200);
  });

  it.each([
    ['a tenant at its own Console', () => tenant.consoleAppId],
    ['a tenant at the platform’s Console', () => world.platformConsoleId],
  ])('of %s are rejected without a second factor', async (_, door) => {
    const answer = await login(await world.tenantAdmin(tenant), door());
    expect([answer.status, answer.body]).toEqual([403, REQUIRED]);
  });

  it('of the platform are led to the set-up on the hosted pages and in the Console', async () => {
    const user = await platformAdmin();
    const browser = new HostedBrowser(own());
    const begin = await browser.get('/console/login');
    const page = await browser.signIn(begin.location!, user.email, user.password);
    const secret = secretOn(page);
    const codes = await browser.submit(page, { code: codeAt(secret) });
    const next = /<form method="get" action="([^"]+)"/.exec(codes.body)![1]!.replaceAll('&amp;', '&');
    let end = await browser.get(next);
    while (end.location?.startsWith('/sign-in')) end = await browser.get(end.location);
    const location = (end.location ?? '').replace(lenient.baseUrl, '');
    expect(location).toMatch(/^\/console\/callback\?/);
    await browser.get(location);
    expect((await browser.get('/console/tenants')).status).toBe(200);
  });

  it('with an older Console session must first set up a second factor', async () => {
    const user = await platformAdmin();
    const before = new HostedBrowser(lenient.baseUrl);
    const begin = await before.get('/console/login');
    const end = await before.signIn(begin.location!, user.email, user.password);
    await before.get(end.location!.slice(lenient.baseUrl.length));
    expect((await before.get('/console/tenants')).status).toBe(200);
    const after = new HostedBrowser(own());
    for (const name of ['sso', 'console']) after.setCookie(name, before.cookie(name)!);
    expect([(await after.get('/console/tenants')).status, (await after.get('/console/tenants')).location]).toEqual([
      302,
      '/console/login?to=%2Fconsole%2Ftenants',
    ]);
    expect((await after.get('/console/login')).location).toMatch(/^\/login\?/);
  });

  it('have no rights with a token of a sign-in without a second factor', async () => {
    const [root, admin] = [await platformAdmin(), await world.tenantAdmin(tenant)];
    for (const user of [root, admin]) {
      const { access_token: token } = await world.tokens(user, world.platformConsoleId);
      const answer = await call('GET', '/admin/tenants', undefined, token);
      expect([answer.status, answer.body]).toEqual(DENIED);
      // Nor after they have set one up: this sign-in has not shown it.
      const { secret } = await enroll(world, user, world.platformConsoleId);
      expect([401, 403]).toContain((await call('GET', '/admin/tenants', undefined, token)).status);
      const shown = await verify(world, await totpSession(world, user, world.platformConsoleId), codeAt(secret));
      expect((await call('GET', '/admin/tenants', undefined, shown.body.access_token)).status).toBe(200);
    }
  });

  it('promoted while signed in have no rights until they use a second factor', async () => {
    const user = await world.user({ id: tenant.consoleAppId });
    await world.asAdmin('PUT', `/admin/users/${user.id}/promote`);
    const { access_token: token } = await world.tokens(user, tenant.consoleAppId);
    const answer = await call('POST', '/admin/tenants', { name: 'Mine' }, token);
    expect([answer.status, answer.body]).toEqual(DENIED);
  });

  it('change nothing later with a second factor that is no longer there', async () => {
    for (const isThere of [true, false]) {
      const own = await world.tenant();
      const admin = await world.tenantAdmin(own);
      const { secret } = await enroll(world, admin, own.consoleAppId);
      const signedIn = await verify(world, await totpSession(world, admin, own.consoleAppId), codeAt(secret));
      const token = signedIn.body.access_token;
      const path = `/admin/tenants/${own.id}`;
      const planned = await call(
        'POST',
        `${path}/scheduled-changes`,
        { effective_at: new Date(Date.now() + 86_400_000).toISOString(), change: { min_password_length: 14 } },
        token,
      );
      expect(planned.status).toBe(201);
      if (!isThere) await world.sql('UPDATE users SET totp_enabled_at = NULL WHERE id = $1', [admin.id]);
      await world.sql("UPDATE scheduled_changes SET effective_at = now() - interval '1 second' WHERE id = $1", [
        planned.body['id'],
      ]);
      await service.nest.get(DueChangesJob, { strict: false }).run();
      const [row] = await world.sql<{ state: string; result: { reason?: string } }>(
        'SELECT state, result FROM scheduled_changes WHERE id = $1',
        [planned.body['id']],
      );
      expect([isThere, row]).toMatchObject(
        isThere ? [true, { state: 'executed' }] : [false, { state: 'failed', result: { reason: 'authority' } }],
      );
    }
  });

  it('do not go on in the Console when their second factor is no longer there', async () => {
    const user = await world.tenantAdmin(tenant);
    const { secret } = await enroll(world, user, tenant.consoleAppId);
    await forgetSteps(world, user);
    const browser = new HostedBrowser(lenient.baseUrl);
    const begin = await browser.get('/console/login');
    const asked = await browser.signIn(begin.location!, user.email, user.password);
    let end = await browser.submit(asked, { code: codeAt(secret) });
    while (end.location?.startsWith('/sign-in')) end = await browser.get(end.location);
    await browser.get(end.location!.slice(lenient.baseUrl.length));
    const strict = new HostedBrowser(own());
    for (const name of ['sso', 'console']) strict.setCookie(name, browser.cookie(name)!);
    const page = `/console/apps?tenant=${tenant.id}`;
    expect((await strict.get(page)).status).toBe(200);
    await world.sql('UPDATE users SET totp_enabled_at = NULL WHERE id = $1', [user.id]);
    expect((await strict.get(page)).status).not.toBe(200);
  });

  it('of single apps need only a password, in the platform’s Console too', async () => {
    const user = await world.user(app, { roles: ['admin'] });
    for (const door of [app.id, world.platformConsoleId]) {
      const { status, body } = await login(user, door);
      expect(status).toBe(200);
      const users = await call('GET', `/admin/users?app_id=${app.id}`, undefined, body['access_token'] as string);
      expect(users.status).toBe(200);
    }
  });

  it('keep their rights in single apps when their tenant rights do not count', async () => {
    const user = await world.tenantAdmin(tenant);
    await world.asAdmin('PUT', `/admin/users/${user.id}/roles`, { app_id: app.id, roles: ['admin'] });
    const { body } = await login(user, app.id);
    const token = body['access_token'] as string;
    expect((await call('GET', `/admin/users?app_id=${app.id}`, undefined, token)).status).toBe(200);
    expect((await call('PATCH', `/admin/tenants/${tenant.id}`, { name: 'Mine' }, token)).status).toBe(403);
  });

  it('do not include ordinary users, who sign in to their app with a password', async () => {
    expect((await login(await world.user(app), app.id)).status).toBe(200);
  });
});
