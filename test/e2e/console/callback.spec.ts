import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { HostedBrowser } from '../../support/hosted-page.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { type TestUser, type TestTenant, World } from '../../support/world.js';

// security 90
describe('GET /console/callback', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let user: TestUser;
  let browser: HostedBrowser;
  /** The state of the sign-in that the browser has started. */
  let state: string;

  beforeAll(async () => {
    database = await freshDatabase();
    service = await startTestApp({
      settings: { databaseUrl: database.url, rateLimits: { enabled: false, overrides: {} } },
    });
    world = await World.open(service.baseUrl, database.url);
    tenant = await world.tenant();
    user = await world.tenantAdmin(tenant);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  beforeEach(async () => {
    browser = new HostedBrowser(service.baseUrl);
    state = stateOf((await browser.get('/console/login')).location!);
  });

  const callback = (parameters: Record<string, string>, by = browser) =>
    by.get(`/console/callback?${new URLSearchParams(parameters).toString()}`);
  const sessions = async () =>
    (await world.sql<{ count: number }>('SELECT count(*)::int AS count FROM console_sessions'))[0]!.count;

  const stateOf = (loginPage: string) => new URL(loginPage, service.baseUrl).searchParams.get('state')!;

  /** Expects a redirect to the sign-in and no new session. */
  async function expectShut(parameters: Record<string, string>, by = browser): Promise<void> {
    const before = await sessions();
    const answer = await callback(parameters, by);
    expect([answer.status, answer.location, by.cookie('console')]).toEqual([303, '/console/login', undefined]);
    expect(await sessions()).toBe(before);
  }

  it('/console/login starts a sign-in with state and PKCE, bound to the browser by a cookie', async () => {
    const address = new URL((await browser.get('/console/login')).location!, service.baseUrl);
    expect(Object.fromEntries(address.searchParams)).toEqual({
      app_id: world.platformConsoleId,
      redirect_uri: `${service.baseUrl}/console/callback`,
      state: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    expect(address.searchParams.get('state')).not.toBe(state);
  });

  it('accepts the code of its own sign-in, keeps no refresh token and redirects to a clean URL', async () => {
    const begin = await browser.get('/console/login?to=/console/pick-tenant');
    const end = await browser.signIn(begin.location!, user.email, user.password);
    const answer = await browser.get(end.location!.slice(service.baseUrl.length));
    expect([answer.status, answer.location]).toEqual([303, '/console/pick-tenant']);
    expect((await browser.get('/console/')).status).toBe(200);
    const open = await world.sql(
      'SELECT 1 FROM refresh_families WHERE user_id = $1 AND app_id = $2 AND revoked_at IS NULL',
      [user.id, world.platformConsoleId],
    );
    expect(open).toEqual([]);
  });

  it('accepts each code once', async () => {
    const begin = await browser.get('/console/login');
    const end = await browser.signIn(begin.location!, user.email, user.password);
    const path = end.location!.slice(service.baseUrl.length);
    await browser.get(path);
    const thief = new HostedBrowser(service.baseUrl);
    expect((await thief.get(path)).location).toBe('/console/login');
    expect(thief.cookie('console')).toBeUndefined();
  });

  it('rejects the code of another browser’s sign-in', async () => {
    const victim = new HostedBrowser(service.baseUrl);
    const begin = await victim.get('/console/login');
    const mine = await browser.signIn((await browser.get('/console/login')).location!, user.email, user.password);
    const code = mine.delivered.get('code')!;
    await expectShut({ code, state: mine.delivered.get('state')! }, victim);
    const again = new HostedBrowser(service.baseUrl);
    const own = new URL((await again.get('/console/login')).location!, service.baseUrl).searchParams.get('state')!;
    // The browser's own state does not help: its PKCE verifier differs.
    await expectShut({ code, state: own }, again);
    expect(begin.status).toBe(302);
  });

  describe('with tokens in the query, as older clients send them', () => {
    it('accepts a Console token for this browser’s own sign-in and revokes its refresh token', async () => {
      for (const appId of [tenant.consoleAppId, world.platformConsoleId]) {
        const own = new HostedBrowser(service.baseUrl);
        const begin = (await own.get('/console/login')).location!;
        await own.signIn(begin, user.email, user.password);
        const { access_token, refresh_token } = await world.tokens(user, appId);
        const answer = await callback({ access_token, refresh_token, state: stateOf(begin) }, own);
        expect([answer.status, answer.location]).toEqual([303, '/console/']);
        expect((await own.get('/console/')).status).toBe(200);
        const refresh = { refresh_token, app_id: appId };
        expect((await world.call('POST', '/token/refresh', refresh)).status).toBe(401);
      }
    });

    // What a leaked token began would be on no list of sign-ins, and nothing that its owner does would end it.
    it('rejects a token of which the user is not signed in here, and revokes its refresh token', async () => {
      const { access_token, refresh_token } = await world.tokens(user, tenant.consoleAppId);
      await expectShut({ access_token, refresh_token, state });
      const refresh = { refresh_token, app_id: tenant.consoleAppId };
      expect((await world.call('POST', '/token/refresh', refresh)).status).toBe(401);
      const begin = (await browser.get('/console/login')).location!;
      const other = await world.tenantAdmin(tenant);
      await browser.signIn(begin, other.email, other.password);
      const { access_token: theirs } = await world.tokens(user, tenant.consoleAppId);
      await expectShut({ access_token: theirs, state: stateOf(begin) });
    });

    it('rejects the token of a sign-in that was signed out', async () => {
      const begin = (await browser.get('/console/login')).location!;
      await browser.signIn(begin, user.email, user.password);
      const { access_token, refresh_token } = await world.tokens(user, tenant.consoleAppId);
      await world.call('POST', '/token/revoke', { refresh_token });
      await expectShut({ access_token, state: stateOf(begin) });
    });

    it('rejects a token without this browser’s state (login CSRF)', async () => {
      const { access_token } = await world.tokens(user, tenant.consoleAppId);
      await expectShut({ access_token });
      await expectShut({ access_token, state: 'x'.repeat(43) });
      await expectShut({ access_token, state }, new HostedBrowser(service.baseUrl));
    });

    it('rejects the token of another app, even from an admin of that app', async () => {
      const app = await world.app(tenant);
      const admin = await world.user(app, { roles: ['admin'] });
      await expectShut({ access_token: (await world.tokens(admin, app.id)).access_token, state });
    });

    it('rejects a platform admin’s token for an ordinary app', async () => {
      const app = await world.app(tenant);
      await world.asAdmin('POST', '/admin/users/roles', { user_id: world.admin.id, app_id: app.id, roles: ['user'] });
      await expectShut({ access_token: (await world.tokens(world.admin, app.id)).access_token, state });
    });

    it('rejects service tokens and malformed tokens', async () => {
      const app = await world.app(tenant);
      await expectShut({ access_token: await world.serviceToken(app), state });
      const begin = new URL((await browser.get('/console/login')).location!, service.baseUrl);
      await expectShut({ access_token: 'x.y.z', state: begin.searchParams.get('state')! });
    });
  });

  it('redirects to /console/login for an error response', async () => {
    await expectShut({ error: 'access_denied', state });
  });
});
