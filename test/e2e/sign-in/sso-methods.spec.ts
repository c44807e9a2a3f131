import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hashOpaqueToken } from '../../../src/crypto/opaque-token.js';
import { OWN_LINK } from '../../support/console-visitor.js';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { readJwt } from '../../support/jwt-parts.js';
import { newInvite } from '../../support/invites.js';
import { newAddress } from '../../support/new-user.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { type TestUser, type TestClient, type TestTenant, type Tokens, World } from '../../support/world.js';

/** How a session was made, and as what it counts at an app. */
const SESSIONS = [
  { amr: ['pwd'], counts: ['password'] },
  { amr: ['pwd', 'otp', 'mfa'], counts: ['password'] },
  { amr: ['email'], counts: ['magic_link'] },
  { amr: ['fed', 'google'], counts: ['google'] },
  { amr: ['fed', 'microsoft'], counts: ['microsoft'] },
  { amr: ['fed', 'github', 'otp', 'mfa'], counts: ['github'] },
  { amr: ['fed', 'apple'], counts: ['apple'] },
  // A sign-up or an invite without a password, by a session from before it was noted at which app.
  { amr: [] as string[], counts: ['magic_link'] },
];
const APPS = [
  ['password'],
  ['magic_link'],
  ['google'],
  ['microsoft', 'apple'],
  ['github', 'password'],
  ['password', 'magic_link', 'google', 'microsoft', 'github', 'apple'],
];
const CASES = SESSIONS.flatMap(({ amr, counts }) =>
  APPS.map((allowed) => [amr, allowed, counts.some((method) => allowed.includes(method))] as const),
);

describe('SSO session at an app with its own sign-in methods', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let apps: Map<readonly string[], TestClient>;
  let user: TestUser;

  beforeAll(async () => {
    database = await freshDatabase();
    service = await startTestApp({
      settings: { databaseUrl: database.url, rateLimits: { enabled: false, overrides: {} } },
    });
    world = await World.open(service.baseUrl, database.url);
    tenant = await world.tenant();
    const made = APPS.map(async (allowed) => [allowed, await appTaking(allowed)] as const);
    apps = new Map(await Promise.all(made));
    user = await world.user(apps.get(APPS[0]!)!);
    for (const app of apps.values())
      await world.asAdmin('POST', '/admin/users/roles', { user_id: user.id, app_id: app.id, roles: ['user'] });
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  const appTaking = (allowed: readonly string[], policy = 'open') =>
    world.app(tenant, { name: 'Shop', registration_policy: policy, config: { allowed_providers: [...allowed] } });

  /** A browser with a session that was made in this way. */
  async function signedIn(amr: readonly string[], who: { id: string } = user): Promise<HostedBrowser> {
    const cookie = randomBytes(32).toString('base64url');
    await world.sql(
      `INSERT INTO sso_sessions (id, token_hash, user_id, auth_time, amr, expires_at)
       VALUES ($1, $2, $3, now(), $4, now() + interval '1 hour')`,
      [randomUUID(), hashOpaqueToken(cookie), who.id, amr],
    );
    const browser = new HostedBrowser(service.baseUrl);
    browser.setCookie('sso', cookie);
    return browser;
  }

  it.each(CASES)('made with %j at an app that allows %j: %s', async (amr, allowed, taken) => {
    const app = apps.get(allowed)!;
    const browser = await signedIn(amr);
    const silent = (await browser.get(loginPath(app, { prompt: 'none' }))).delivered;
    expect([silent.has('code'), silent.get('error')]).toEqual(taken ? [true, null] : [false, 'login_required']);
    const shown = await browser.get(loginPath(app));
    expect([shown.status, shown.location?.includes('code=') ?? false]).toEqual(taken ? [302, true] : [200, false]);
    if (!taken) expect(shown.body).toContain('Shop doesn’t accept the method that you signed in with');
  });

  it('lets the user sign in again with an allowed method and continues', async () => {
    const app = apps.get(APPS[0]!)!;
    const browser = await signedIn(['email']);
    const page = await browser.get(loginPath(app));
    expect(page.body).toContain('Sign in again with your password.');
    expect(page.body).toContain(`value="${user.email}"`);
    const end = await browser.submit(page, { email: user.email, password: user.password });
    expect(end.delivered.get('code')).toBeTruthy();
  });

  it('cannot be bypassed by an access request or an invite', async () => {
    const app = await appTaking(['google']);
    const browser = await signedIn(['pwd']);
    expect((await browser.get(loginPath(app))).body).toContain('Sign in again');
    const cookie = `sso=${browser.cookie('sso')}`;
    const json = (path: string, body: object) => world.call('POST', path, body, { headers: { Cookie: cookie } });
    expect((await json('/auth/request-access', { app_id: app.id })).status).toBe(401);
    const { code } = await newInvite(world, app, { send_to_email: undefined });
    const accepted = await json('/auth/accept-invite', { app_id: app.id, invite_code: code, email: user.email });
    expect([accepted.status, accepted.body['detail']]).toEqual([401, 'Sign in to accept this invite']);
    expect(await world.sql('SELECT 1 FROM enrollments WHERE user_id = $1 AND app_id = $2', [user.id, app.id])).toEqual(
      [],
    );
  });

  it('from a sign-up without a password works at that app, and elsewhere only at apps that allow links by mail', async () => {
    const home = await appTaking(['google']);
    const [other, links] = [apps.get(APPS[2]!)!, apps.get(APPS[1]!)!];
    const email = newAddress();
    const signUp = await world.call<Tokens>('POST', '/auth/signup', { app_id: home.id, email, display_name: 'Grace' });
    expect(signUp.status).toBe(200);
    const cookie = /sso=([^;]+)/.exec(signUp.headers.getSetCookie().join())![1]!;
    const browser = new HostedBrowser(service.baseUrl);
    browser.setCookie('sso', cookie);
    expect((await browser.get(loginPath(home))).delivered.get('code')).toBeTruthy();
    expect((await browser.get(loginPath(other, { prompt: 'none' }))).delivered.get('error')).toBe('login_required');
    const joining = await browser.get(loginPath(links));
    expect((await browser.submit(joining, {})).delivered.get('code')).toBeTruthy();
    expect(readJwt(signUp.body.access_token).payload['amr']).toEqual([]);
    const log = await world.sql<{ amr: string[] }>(
      `SELECT metadata->'amr' AS amr FROM audit_entries WHERE action = 'user.login' AND app_id = $1`,
      [home.id],
    );
    expect(log.map(({ amr }) => amr)).toEqual([[], []]);
  });

  it('does not affect issued tokens: they are refreshed after the app’s methods were narrowed', async () => {
    const app = await appTaking(['password', 'google']);
    const member = await world.user(app);
    const { body } = await world.login(member, app.id);
    const browser = await signedIn(['pwd'], member);
    await world.asAdmin('PUT', `/admin/apps/${app.id}`, { config: { allowed_providers: ['google'] } });
    const refreshed = await world.call('POST', '/token/refresh', {
      refresh_token: (body as unknown as Tokens).refresh_token,
      app_id: app.id,
    });
    expect(refreshed.status).toBe(200);
    expect((await browser.get(loginPath(app, { prompt: 'none' }))).delivered.get('error')).toBe('login_required');
    expect((await world.login(member, app.id)).body).toMatchObject({ detail: 'Password login not enabled' });
  });

  it('opens the account page with every method', async () => {
    for (const { amr } of SESSIONS) expect((await (await signedIn(amr)).get('/account')).status).toBe(200);
  });

  describe('at the Console', () => {
    const takes = async (allowed: readonly string[]) => {
      const { location } = await new HostedBrowser(service.baseUrl).get('/console/login');
      const id = new URL(location!, service.baseUrl).searchParams.get('app_id')!;
      await world.asAdmin('PUT', `/admin/apps/${id}`, { config: { allowed_providers: [...allowed] } });
    };

    afterAll(() => takes(['password', 'magic_link']));

    it.each(APPS)('opens it only with a method of the Console app: %s, …', async (...allowed) => {
      await takes(allowed);
      for (const { amr, counts } of SESSIONS) {
        const browser = await signedIn(amr, world.admin);
        const answer = await browser.get('/console/login');
        const taken = counts.some((method) => allowed.includes(method));
        expect([amr, answer.location?.split('?')[0]]).toEqual([amr, taken ? '/console/' : '/login']);
        if (taken) continue;
        expect(browser.cookie('console')).toBeUndefined();
        const asked = await browser.get(answer.location!);
        expect([asked.status, asked.body]).toEqual([200, expect.stringContaining('Sign in again')]);
      }
    });

    it('ends there if the method is no longer allowed', async () => {
      await takes(['password', 'magic_link']);
      const browser = await signedIn(['email'], world.admin);
      await browser.get('/console/login');
      expect((await browser.get('/console/', OWN_LINK)).status).toBe(200);
      await takes(['password']);
      expect((await browser.get('/console/', OWN_LINK)).location).toBe('/console/login');
    });
  });
});
