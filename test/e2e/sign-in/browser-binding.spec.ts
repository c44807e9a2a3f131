import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type HostedAnswer, HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { type TestUser, type TestClient, World } from '../../support/world.js';

describe('Hosted sign-in in progress', () => {
  let service: SharedTestApp;
  let world: World;
  let app: TestClient;
  let other: TestClient;
  let user: TestUser;
  let browser: HostedBrowser;
  let page: HostedAnswer;

  beforeAll(async () => {
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    const tenant = await world.tenant();
    [app, other] = [await world.app(tenant), await world.app(tenant)];
  });

  afterAll(() => world.close());

  beforeEach(async () => {
    user = await world.user(app);
    browser = new HostedBrowser(service.baseUrl);
    page = await browser.get(loginPath(app, { state: 'mine' }));
  });

  const credentials = () => ({ email: user.email, password: user.password });
  const form = () => ({ form_token: page.formToken(), ...credentials() });
  const attemptPath = () => page.formAction().replace('/password', '');

  const expectNothing = (answer: HostedAnswer, status: number) => {
    expect([answer.status, answer.location, answer.headers.get('set-cookie')]).toEqual([status, null, null]);
    expect(answer.headers.get('content-type')).toContain('text/html');
  };

  it('does not continue in another browser', async () => {
    const stranger = new HostedBrowser(service.baseUrl);
    await stranger.get(loginPath(app));
    expectNothing(await stranger.get(attemptPath()), 400);
    expectNothing(await stranger.post(page.formAction(), form()), 403);
  });

  it('does not continue without the cookie', async () => {
    const stranger = new HostedBrowser(service.baseUrl);
    expectNothing(await stranger.get(attemptPath()), 400);
    expectNothing(await stranger.post(page.formAction(), form()), 403);
  });

  it('delivers nothing to another browser', async () => {
    const posted = await browser.post(page.formAction(), form());
    const stranger = new HostedBrowser(service.baseUrl);
    await stranger.get(loginPath(app));
    expectNothing(await stranger.get(posted.location!), 400);
    expect((await browser.get(posted.location!)).delivered.get('state')).toBe('mine');
  });

  it('rejects a form without its token', async () => {
    expectNothing(await browser.post(page.formAction(), credentials()), 403);
  });

  it.each([
    ['an empty one', ''],
    ['any other', randomBytes(32).toString('base64url')],
  ])('rejects a form with %s as its token', async (_what, token) => {
    expectNothing(await browser.post(page.formAction(), { ...form(), form_token: token }), 403);
  });

  it('rejects the form token of another sign-in in the same browser', async () => {
    const second = await browser.get(loginPath(app));
    expectNothing(await browser.post(page.formAction(), { ...form(), form_token: second.formToken() }), 403);
  });

  it('rejects the form token of another browser', async () => {
    const foreign = await new HostedBrowser(service.baseUrl).get(loginPath(app));
    expectNothing(await browser.post(page.formAction(), { ...form(), form_token: foreign.formToken() }), 403);
  });

  it.each([
    ['another site', { 'Sec-Fetch-Site': 'cross-site' }],
    ['another host of the same site', { 'Sec-Fetch-Site': 'same-site' }],
    ['another origin', { Origin: 'https://evil.example' }],
  ])('rejects a form from %s with the right token', async (_what, headers) => {
    expectNothing(await browser.post(page.formAction(), form(), headers as Record<string, string>), 403);
  });

  it('rejects credentials as JSON or plain text', async () => {
    for (const type of ['application/json', 'text/plain']) {
      const answer = await fetch(`${service.baseUrl}${page.formAction()}`, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'Content-Type': type, Cookie: `browser=${browser.cookie('browser')!}` },
        body: JSON.stringify(credentials()),
      });
      expect([403, 415]).toContain(answer.status);
      expect(answer.headers.get('set-cookie')).toBeNull();
    }
  });

  it('accepts only the fields that the page asks for', async () => {
    const smuggled = {
      app_id: other.id,
      client_id: other.id,
      redirect_uri: other.redirectUri,
      state: 'theirs',
      device_id: 'theirs',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
      prompt: 'none',
      user_id: world.admin.id,
    };
    const posted = await browser.post(`${page.formAction()}?${new URLSearchParams(smuggled).toString()}`, {
      ...form(),
      ...smuggled,
    });
    const sent = await browser.get(`${posted.location!}?${new URLSearchParams(smuggled).toString()}`);
    expect(sent.location?.startsWith(`${app.redirectUri}?code=`)).toBe(true);
    expect(sent.delivered.get('state')).toBe('mine');
    const exchange = await world.call('POST', '/token/exchange', { code: sent.delivered.get('code'), app_id: app.id });
    expect(exchange.status).toBe(200);
    const [family] = await world.sql<{ user_id: string; device_id: string | null }>(
      'SELECT user_id, device_id FROM refresh_families WHERE app_id = $1 AND user_id = $2',
      [app.id, user.id],
    );
    expect(family).toEqual({ user_id: user.id, device_id: null });
  });

  it('rejects a repeated field', async () => {
    const answer = await fetch(`${service.baseUrl}${page.formAction()}`, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        'Content-Type': 'application/x-www-form-urlencoded',
        Cookie: `browser=${browser.cookie('browser')!}`,
        Accept: 'text/html',
      },
      body: `${new URLSearchParams(form()).toString()}&email=${encodeURIComponent(world.admin.email)}`,
    });
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([422, null]);
  });

  it.each(['suspended', 'finish', 'unknown', '../setup', '__proto__'])(
    'returns 404 for the step "%s"',
    async (step) => {
      const answer = await browser.post(`${attemptPath()}/${encodeURIComponent(step)}`, form());
      expect([answer.status, answer.headers.get('set-cookie')]).toEqual([400, null]);
    },
  );

  it.each(['join', 'no_access'])('cannot skip to the step "%s" before the user has signed in', async (step) => {
    const answer = await browser.post(`${attemptPath()}/${step}`, form());
    expect([answer.status, answer.location]).toEqual([303, attemptPath()]);
    expect((await browser.get(attemptPath())).body).toContain('type="password"');
  });

  it.each([randomUUID(), 'x', "'; DROP TABLE users;--", '%00'])('returns 404 for the id %s', async (id) => {
    const answer = await browser.get(`/sign-in/${id === '%00' ? id : encodeURIComponent(id)}`);
    expect([400, 404, 422]).toContain(answer.status);
    expect(answer.location).toBeNull();
  });

  it('expires after an hour', async () => {
    await world.sql('UPDATE sign_in_attempts SET expires_at = now() WHERE id = $1', [attemptPath().split('/')[2]]);
    expectNothing(await browser.get(attemptPath()), 400);
    expectNothing(await browser.post(page.formAction(), form()), 400);
  });

  it('keeps several tabs of one browser apart', async () => {
    const second = await browser.get(loginPath(app, { state: 'second tab' }));
    const sentSecond = await browser.submit(second, credentials());
    const sentFirst = await browser.submit(page, credentials());
    expect(sentSecond.delivered.get('state')).toBe('second tab');
    expect(sentFirst.delivered.get('state')).toBe('mine');
  });

  describe('when a browser without cookies opens two at once', () => {
    let tabs: HostedAnswer[];
    const attemptOf = (tab: HostedAnswer) => tab.formAction().split('/')[2]!;
    const secretCookie = (tab: HostedAnswer) => `browser-${attemptOf(tab)}`;

    beforeEach(async () => {
      browser = new HostedBrowser(service.baseUrl);
      const both = ['first tab', 'second tab'].map((state) => browser.get(loginPath(app, { state })));
      tabs = await Promise.all(both);
    });

    it('continues and delivers in each', async () => {
      const sent = await Promise.all(tabs.map((tab) => browser.submit(tab, credentials())));
      expect(sent.map((answer) => answer.delivered.get('state'))).toEqual(['first tab', 'second tab']);
      expect(sent.every((answer) => answer.delivered.has('code'))).toBe(true);
    });

    it('can be reloaded and offers other steps in each', async () => {
      for (const tab of tabs) {
        const path = `/sign-in/${attemptOf(tab)}`;
        expect((await browser.get(path)).formAction()).toBe(`${path}/password`);
        expect((await browser.get(`${path}/forgot`)).formAction()).toBe(`${path}/forgot`);
      }
    });

    it('rejects the secret of the other, and one that an attacker made', async () => {
      for (const [mine, theirs] of [tabs, [...tabs].reverse()] as [HostedAnswer, HostedAnswer][]) {
        const stranger = new HostedBrowser(service.baseUrl);
        await stranger.get(loginPath(app));
        for (const secret of [browser.cookie(secretCookie(theirs))!, stranger.cookie('browser')!]) {
          stranger.setCookie(secretCookie(mine), secret);
          expectNothing(await stranger.get(`/sign-in/${attemptOf(mine)}`), 400);
          const fields = { form_token: mine.formToken(), ...credentials() };
          expectNothing(await stranger.post(mine.formAction(), fields), 403);
        }
      }
    });

    it('sends its secret for an hour to this host only, and later sign-ins send none', async () => {
      for (const tab of tabs) {
        const [line] = tab.headers.getSetCookie().filter((each) => each.startsWith(`${secretCookie(tab)}=`));
        expect(line).toMatch(/; Max-Age=3600; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/);
      }
      expect((await browser.get(loginPath(app))).headers.getSetCookie()).toEqual([]);
    });
  });
});
