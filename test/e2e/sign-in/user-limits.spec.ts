import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { type Answer, type TestUser, type TestClient, unique, World } from '../../support/world.js';

const OUTSIDER = '198.51.100.66';
const HOME = '192.0.2.7';

/** An address that no other test here uses. */
let last = 0;
const someAddress = () => `198.18.${Math.floor(++last / 250)}.${(last % 250) + 1}`;

describe('Rate limits of a user', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let app: TestClient;
  let user: TestUser;

  beforeAll(async () => {
    database = await freshDatabase();
    service = await startTestApp({ settings: { databaseUrl: database.url, trustProxy: 1 } });
    world = await World.open(service.baseUrl, database.url);
    app = await world.app(await world.tenant());
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  beforeEach(async () => {
    user = await world.user(app);
  });

  const from = (address: string) => ({ 'X-Forwarded-For': address });
  const login = (address: string, password: string, headers: Record<string, string> = {}) => {
    const body = { email: user.email, password, app_id: app.id };
    return world.call('POST', '/auth/login', body, { headers: { ...from(address), ...headers } });
  };
  const wrongFrom = async (address: string, times: number) => {
    for (let time = 0; time < times; time++) expect((await login(address, 'wrong')).status).toBe(401);
  };
  /** Fifty tries, no more than five from one address. */
  const wrongFromEverywhere = async () => {
    for (let network = 0; network < 10; network++) await wrongFrom(someAddress(), 5);
  };
  const expectLimited = (answer: Answer) => {
    expect([answer.status, answer.body]).toEqual([429, { detail: 'rate_limited' }]);
    const seconds = Number(answer.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(800);
    expect(seconds).toBeLessThanOrEqual(900);
  };
  const cookieOf = (answer: Answer) => {
    const line = answer.headers.getSetCookie().find((each) => each.startsWith('known='))!;
    return { line, header: { Cookie: line.split(';')[0]! } };
  };
  /** Signs in with the cookie of a sign-in before it: apps may keep none, so it counts once it came back. */
  const knownBrowser = async () => {
    const { header } = cookieOf(await login(HOME, user.password));
    expect((await login(HOME, user.password, header)).status).toBe(200);
    return header;
  };

  it('let the owner in during attempts from one foreign address', async () => {
    await wrongFrom(OUTSIDER, 5);
    for (let time = 0; time < 60; time++) await login(OUTSIDER, 'wrong');
    expectLimited(await login(OUTSIDER, user.password));
    expect((await login(HOME, user.password)).status).toBe(200);
  });

  it('are fifty over all addresses, and a known browser still gets in', async () => {
    const browser = await knownBrowser();
    await wrongFromEverywhere();
    expectLimited(await login(HOME, user.password));
    expectLimited(await login(someAddress(), user.password));
    expect((await login(HOME, user.password, browser)).status).toBe(200);
  });

  it('are five for a known browser too, separate from other browsers', async () => {
    const browser = await knownBrowser();
    for (let time = 0; time < 5; time++) expect((await login(HOME, 'wrong', browser)).status).toBe(401);
    expectLimited(await login(HOME, user.password, browser));
    expectLimited(await login(someAddress(), user.password, browser));
    expect((await login(HOME, user.password)).status).toBe(200);
  });

  it('apply to a browser that is known for another user, or has an invented cookie', async () => {
    const other = await world.user(app);
    const answer = await world.call(
      'POST',
      '/auth/login',
      { email: other.email, password: other.password, app_id: app.id },
      { headers: from(HOME) },
    );
    await wrongFrom(OUTSIDER, 5);
    for (const header of [cookieOf(answer).header, { Cookie: `known=${'x'.repeat(43)}` }])
      expectLimited(await login(OUTSIDER, user.password, header));
  });

  it('recognize a browser after a sign-out, and every user who signed in there', async () => {
    const browser = new HostedBrowser(world.baseUrl);
    const other = await world.user(app);
    for (const each of [other, user])
      expect((await browser.signIn(loginPath(app, { prompt: 'login' }), each.email, each.password)).status).toBe(302);
    await browser.post('/account/sign-out', {});
    await wrongFromEverywhere();
    expectLimited(await login(HOME, user.password));
    const mine = await browser.signIn(loginPath(app, { prompt: 'login' }), user.email, user.password);
    expect(mine.status).toBe(302);
    const body = { email: other.email, password: 'wrong', app_id: app.id };
    for (let net = 0; net < 10; net++)
      for (let time = 0; time < 5; time++)
        await world.call('POST', '/auth/login', body, { headers: from(`198.19.0.${net + 1}`) });
    expect((await browser.signIn(loginPath(app, { prompt: 'login' }), other.email, other.password)).status).toBe(302);
  });

  it('no longer recognize a browser after all of the user’s sessions have ended', async () => {
    const browser = await knownBrowser();
    await world.asAdmin('PUT', `/admin/users/${user.id}/password`, { new_password: user.password });
    await wrongFromEverywhere();
    expectLimited(await login(HOME, user.password, browser));
  });

  it('include the hosted page', async () => {
    const browser = new HostedBrowser(world.baseUrl);
    expect((await browser.signIn(loginPath(app), user.email, user.password)).status).toBe(302);
    await wrongFromEverywhere();
    const stranger = await new HostedBrowser(world.baseUrl).signIn(loginPath(app), user.email, user.password);
    expect(stranger.status).toBe(429);
    const again = await browser.signIn(loginPath(app, { prompt: 'login' }), user.email, user.password);
    expect(again.status).toBe(302);
  });

  it('include the change of your own password', async () => {
    const browser = await knownBrowser();
    const change = async (address: string, current_password: string, headers: Record<string, string> = {}) => {
      const options = { token, headers: { ...from(address), ...headers } };
      return world.call('PUT', '/admin/me/password', { current_password, new_password: `${unique()} words` }, options);
    };
    const token = ((await login(HOME, user.password)).body as unknown as { access_token: string }).access_token;
    for (let time = 0; time < 5; time++) expect((await change(OUTSIDER, 'wrong')).status).toBe(400);
    expectLimited(await change(OUTSIDER, user.password));
    for (let net = 0; net < 9; net++) await wrongFrom(someAddress(), 5);
    expectLimited(await change(HOME, user.password));
    expect((await change(HOME, user.password, browser)).status).toBe(200);
  });

  it('of the change of your own password count every try with a new password that is refused', async () => {
    const token = ((await login(HOME, user.password)).body as unknown as { access_token: string }).access_token;
    const change = (current_password: string) =>
      world.call(
        'PUT',
        '/admin/me/password',
        { current_password, new_password: 'x' },
        { token, headers: from(OUTSIDER) },
      );
    const wrong = await change('wrong');
    expect([wrong.status, wrong.body]).toEqual([400, { detail: 'Current password is incorrect' }]);
    const statuses = new Set<number>();
    for (let tries = 0; tries < 6; tries++) statuses.add((await change(user.password)).status);
    expect([...statuses]).toEqual([400, 429]);
  });

  describe.each([
    ['a sign-in link', '/auth/magic-link/request', 'auth.magic_link_requested'],
    ['a forgotten password', '/auth/forgot-password', 'auth.reset_requested'],
  ])('for %s', (_, path, job) => {
    /** @returns whether a mail was promised; the answer is the same either way */
    const ask = async (address: string, headers: Record<string, string> = {}) => {
      const count = async () =>
        Number(
          (await world.sql<{ count: string }>('SELECT count(*) FROM outbox_messages WHERE job = $1', [job]))[0]!.count,
        );
      const before = await count();
      const body = { email: user.email, app_id: app.id };
      const answer = await world.call('POST', path, body, { headers: { ...from(address), ...headers } });
      expect(answer.status).toBe(200);
      return (await count()) > before;
    };

    it('are three from one address, thirty overall, and three for a known browser', async () => {
      const browser = await knownBrowser();
      for (let time = 0; time < 6; time++) expect(await ask(OUTSIDER)).toBe(time < 3);
      for (let net = 0; net < 9; net++)
        for (let time = 0; time < 3; time++) expect(await ask(`198.18.200.${net + 1}`)).toBe(true);
      expect(await ask(HOME)).toBe(false);
      for (let time = 0; time < 4; time++) expect(await ask(HOME, browser)).toBe(time < 3);
    });
  });
});
