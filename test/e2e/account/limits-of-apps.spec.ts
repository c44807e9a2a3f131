import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { RateLimitsService } from '../../../src/rate-limits/rate-limits.service.js';
import { sendForm, visitAccount } from '../../support/account-visitor.js';
import { visitConsole } from '../../support/console-visitor.js';
import { acceptAlone, bearer, newInvite } from '../../support/invites.js';
import { fcmToken, pushApp } from '../../support/push.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type Answer, type TestUser, type TestClient, type TestTenant, World } from '../../support/world.js';

const few = (points: number, seconds = 900) => ({ points, seconds });
const OVERRIDES = {
  admin: few(30),
  own_account: few(3),
  device_register: few(2, 3_600),
  audit_export: few(1),
  user_list_export: few(1),
  change_preview: few(1),
};

interface Limits {
  readonly rate_limits: { label: string; key: string; count: number }[];
}

/** The server of an app holds access tokens of its users, in whatever tenant it is. */
describe('An app with tokens of a user', () => {
  let service: TestApp;
  let world: World;
  let limits: RateLimitsService;
  let tenant: TestTenant;
  let app: TestClient;
  let other: TestClient;

  beforeAll(async () => {
    const rateLimits = { enabled: true, overrides: OVERRIDES };
    service = await startTestApp({ settings: { rateLimits, redisUrl: null } });
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    limits = service.nest.get(RateLimitsService, { strict: false });
    tenant = await world.tenant();
    [app, other] = [await world.app(tenant), await world.app(await world.tenant())];
  });

  /** The preparation of the tests must not use up the limits. */
  beforeEach(() => limits.clear('admin', `user:${world.admin.id}`));

  afterAll(async () => {
    await world.close();
    await service.close();
  });

  const tokenAt = async (user: TestUser, at: { id: string }) => (await world.tokens(user, at.id)).access_token;
  const get = async (path: string, token: string) => (await world.call('GET', path, undefined, { token })).status;
  const join = (user: TestUser, at: { id: string }, roles = ['user']) =>
    world.asAdmin('POST', '/admin/users/roles', { user_id: user.id, app_id: at.id, roles });
  const shown = async ({ id }: TestUser) => {
    const { rate_limits } = await world.asAdmin<Limits>('GET', `/admin/users/${id}/rate-limits`);
    return rate_limits.filter(({ key }) => key.includes(id)).map(({ label, key }) => `${label} ${key}`);
  };
  /** What they need to keep that app out. */
  const isAtHome = async (user: TestUser) =>
    (await sendForm(await visitAccount(world, user), '/account/profile', { display_name: 'Ada' })).status === 303;

  it('cannot keep an administrator out of the console and the admin API', async () => {
    const admin = await world.tenantAdmin(tenant);
    await join(admin, app);
    await join(admin, other);
    const [held, elsewhere] = [await tokenAt(admin, app), await tokenAt(admin, other)];
    const refused = await Promise.all(Array.from({ length: 30 }, () => get('/admin/apps', held)));
    expect(new Set(refused)).toEqual(new Set([403]));
    expect(await get('/admin/apps', held)).toBe(429);
    expect(await get('/admin/apps', elsewhere)).toBe(403);
    const ofConsole = await tokenAt(admin, { id: tenant.consoleAppId });
    expect(await get('/admin/apps', ofConsole)).toBe(200);
    const browser = await visitConsole(world, admin);
    expect((await browser.get('/console/apps')).status).toBe(200);
    // The administrator has one limit: in the console, and with tokens of Console apps.
    while ((await get('/admin/apps', ofConsole)) === 200);
    expect((await browser.get('/console/apps')).status).toBe(429);
    expect(await get('/admin/apps', elsewhere)).toBe(403);
  });

  it('cannot use up the exports and previews of its administrator', async () => {
    const admin = await world.user(app, { roles: ['admin'] });
    const held = await tokenAt(admin, app);
    const own = await tokenAt(admin, { id: world.platformConsoleId });
    const body = { config: { require_2fa: true } };
    const preview = async (token: string) =>
      (await world.call('POST', `/admin/apps/${app.id}?preview=true`, body, { token })).status;
    for (const ask of [
      (token: string) => get('/admin/audit/export', token),
      (token: string) => get(`/admin/apps/${app.id}/export?include_users=true`, token),
      preview,
    ])
      expect([await ask(held), await ask(held), await ask(own), await ask(own)]).toEqual([200, 429, 200, 429]);
  });

  it('cannot keep a user from the forms of the account page', async () => {
    const user = await world.user(app);
    await join(user, other);
    const [held, elsewhere] = [await tokenAt(user, app), await tokenAt(user, other)];
    const setUp = async (token: string) => (await world.call('POST', '/account/totp/setup', {}, { token })).status;
    expect([await setUp(held), await setUp(held), await setUp(held), await setUp(held)]).toEqual([400, 400, 400, 429]);
    expect(await setUp(elsewhere)).toBe(400);
    expect(await isAtHome(user)).toBe(true);
  });

  it('cannot do so with an invite that its token does not accept', async () => {
    const user = await world.user(app);
    const { code } = await newInvite(world, other, { max_uses: 9 });
    const held = bearer(await tokenAt(user, app));
    const accept = async () => (await acceptAlone(world, other, code, {}, held)).status;
    expect([await accept(), await accept(), await accept(), await accept()]).toEqual([401, 401, 401, 429]);
    expect(await isAtHome(user)).toBe(true);
  });

  it('cannot do so with a setup token that it was given', async () => {
    const strict = await world.app(tenant, { config: { require_2fa: true } });
    const user = await world.user(strict);
    await join(user, app);
    const answer = (await world.login(user, strict.id)) as unknown as Answer<{ detail: { setup_token: string } }>;
    const token = answer.body.detail.setup_token;
    const setUp = async () => (await world.call('POST', '/account/totp/setup', {}, { token })).status;
    expect([await setUp(), await setUp(), await setUp(), await setUp()]).toEqual([200, 200, 200, 429]);
    // The refused sign-in that gave out the token counts, too.
    expect(await shown(user)).toEqual([`denials sign-in ${user.id}`, `own_account user:${user.id} ${strict.id}`]);
    expect(await isAtHome(user)).toBe(true);
  });

  it('cannot use up the registrations of push devices that another app needs', async () => {
    const [mine, theirs] = [await pushApp(world), await pushApp(world)];
    const user = await world.user(mine);
    await join(user, theirs);
    const register = async (at: TestClient) => {
      const body = { app_id: at.id, platform: 'ios', push_token: fcmToken() };
      const token = await tokenAt(user, at);
      return (await world.call('POST', '/push/devices/register', body, { token })).status;
    };
    expect([await register(mine), await register(mine), await register(mine)]).toEqual([201, 201, 429]);
    expect(await register(theirs)).toBe(201);
    const counted = [mine, theirs].flatMap(({ id }) => [
      `device_register user:${user.id} ${id}`,
      `admin user:${user.id} ${id}`,
    ]);
    expect((await shown(user)).sort()).toEqual(counted.sort());
    const root = await visitConsole(world, world.admin);
    const page = await root.get(`/console/queues/limits?address=${encodeURIComponent(user.email)}`);
    expect(page.body).toContain('Push devices, by user and app');
    // They are not those of the app's server.
    expect((await limits.counting(mine.id)).filter(({ key }) => key.includes(user.id))).toEqual([]);
    await world.asAdmin('POST', `/admin/users/${user.id}/rate-limits/clear`);
    expect(await shown(user)).toEqual([]);
    expect(await register(mine)).toBe(201);
  });
});
