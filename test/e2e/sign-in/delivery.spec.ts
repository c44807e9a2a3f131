import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { HostedAnswer, HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { type TestUser, type TestClient, type Tokens, unique, World } from '../../support/world.js';

const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

describe('Result of a hosted sign-in', () => {
  let service: SharedTestApp;
  let world: World;
  let web: TestClient;
  let native: TestClient;

  beforeAll(async () => {
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    const tenant = await world.tenant();
    web = await world.app(tenant);
    const redirectUri = `com.example.n${unique()}:/cb`;
    native = { ...(await world.app(tenant, { config: { redirect_uris: [redirectUri] } })), redirectUri };
  });

  afterAll(() => world.close());

  const signIn = (path: string, user: TestUser) =>
    new HostedBrowser(service.baseUrl).signIn(path, user.email, user.password);

  const exchange = (app: TestClient, code: string | null, extra = {}) =>
    world.call<Tokens & { detail?: string }>('POST', '/token/exchange', { code, app_id: app.id, ...extra });

  const refresh = (app: TestClient, refresh_token: string, extra = {}) =>
    world.call<Tokens>('POST', '/token/refresh', { refresh_token, app_id: app.id, ...extra });

  it('is a code and the state at an https address, never a token', async () => {
    const user = await world.user(web);
    const sent = await signIn(loginPath(web, { state: 'abc' }), user);
    expect([...sent.delivered.keys()]).toEqual(['code', 'state']);
    const { status, body } = await exchange(web, sent.delivered.get('code'));
    expect(status).toBe(200);
    expect(decodeJwt(body.access_token)).toMatchObject({ sub: user.id, aud: web.id, amr: ['pwd'] });
    expect(sent.location).not.toContain(body.access_token);
  });

  it('is tokens at a custom scheme', async () => {
    const user = await world.user(native);
    const sent = await signIn(loginPath(native, { state: 'a b' }), user);
    expect(sent.location).toMatch(/^com\.example\.n[0-9a-f]+:\/cb\?access_token=/);
    expect([...sent.delivered.keys()]).toEqual(['access_token', 'refresh_token', 'state']);
    expect(sent.delivered.get('state')).toBe('a b');
    expect(decodeJwt(sent.delivered.get('access_token')!)).toMatchObject({ sub: user.id, aud: native.id });
    expect((await refresh(native, sent.delivered.get('refresh_token')!)).status).toBe(200);
  });

  it('is a code and the issuer at a custom scheme with response_type=code', async () => {
    const user = await world.user(native);
    const sent = await signIn(loginPath(native, { response_type: 'code', state: 'x' }), user);
    expect([...sent.delivered.keys()]).toEqual(['code', 'state', 'iss']);
    expect(sent.delivered.get('iss')).toBe(service.baseUrl);
  });

  it('binds the tokens to the request’s device_id through the code', async () => {
    const user = await world.user(web);
    const sent = await signIn(loginPath(web, { device_id: 'phone-1' }), user);
    const { body } = await exchange(web, sent.delivered.get('code'));
    expect((await refresh(web, body.refresh_token, { device_id: 'phone-1' })).status).toBe(200);
    const [family] = await world.sql<{ device_id: string }>(
      'SELECT device_id FROM refresh_families WHERE user_id = $1 AND app_id = $2',
      [user.id, web.id],
    );
    expect(family?.device_id).toBe('phone-1');
  });

  it('binds the tokens to the request’s device_id at a custom scheme', async () => {
    const user = await world.user(native);
    const sent = await signIn(loginPath(native, { device_id: 'phone-2' }), user);
    const token = sent.delivered.get('refresh_token')!;
    expect((await refresh(native, token, { device_id: 'phone-3' })).status).toBe(401);
  });

  it('keeps the PKCE challenge, so the code is worthless without the verifier', async () => {
    const user = await world.user(web);
    const pkce = { code_challenge: CHALLENGE, code_challenge_method: 'S256' };
    const first = await signIn(loginPath(web, pkce), user);
    expect((await exchange(web, first.delivered.get('code'))).status).toBe(400);
    const second = await signIn(loginPath(web, pkce), user);
    expect((await exchange(web, second.delivered.get('code'), { code_verifier: VERIFIER })).status).toBe(200);
  });

  it('follows OpenID Connect: issuer in the answer, id_token with the nonce', async () => {
    const user = await world.user(web);
    const parameters = new URLSearchParams({
      client_id: web.id,
      redirect_uri: web.redirectUri,
      response_type: 'code',
      scope: 'openid profile email',
      nonce: 'n-0S6_WzA2Mj',
      state: 'af0ifjsldkj',
    });
    const sent = await signIn(`/login?${parameters.toString()}`, user);
    expect(Object.fromEntries(sent.delivered)).toMatchObject({ state: 'af0ifjsldkj', iss: service.baseUrl });
    const { status, body } = await world.call<Tokens & { id_token: string; scope: string }>('POST', '/auth/token', {
      grant_type: 'authorization_code',
      client_id: web.id,
      client_secret: web.secret,
      code: sent.delivered.get('code'),
      redirect_uri: web.redirectUri,
    });
    expect(status).toBe(200);
    const claims = decodeJwt(body.id_token);
    expect(claims).toMatchObject({ iss: service.baseUrl, aud: web.id, sub: user.id, nonce: 'n-0S6_WzA2Mj' });
    expect(Number(claims['auth_time'])).toBeLessThanOrEqual(Number(claims.iat));
  });

  it('redirects with 302 after a GET and 303 after a POST, and is not cached', async () => {
    const user = await world.user(web);
    const browser = new HostedBrowser(service.baseUrl);
    const page = await browser.get(loginPath(web));
    const posted = await browser.post(page.formAction(), {
      form_token: page.formToken(),
      email: user.email,
      password: user.password,
    });
    const followed = await browser.get(posted.location!);
    expect([posted.status, followed.status]).toEqual([303, 302]);
    expect(posted.location).toMatch(/^\/sign-in\/[0-9a-f-]{36}$/);
    for (const answer of [posted, followed]) {
      expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
      expect(answer.headers.get('cache-control')).toBe('no-store');
    }
  });

  it('records the user, the app and the method', async () => {
    const user = await world.user(web);
    await signIn(loginPath(web), user);
    const [entry] = await world.sql<{ app_id: string; metadata: object }>(
      `SELECT app_id, metadata FROM audit_entries WHERE action = 'user.login' AND user_id = $1`,
      [user.id],
    );
    expect(entry).toMatchObject({ app_id: web.id, metadata: { via: 'hosted', amr: ['pwd'] } });
  });

  describe('in a browser that comes from one of our pages', () => {
    const OWN = { 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' };

    /** Signed in, and on the way to the app. `fetch` would say that it is a script. */
    const arrive = async (app: TestClient, headers: Record<string, string>) => {
      const { email, password } = await world.user(app);
      const browser = service.browser();
      const page = await browser.get(loginPath(app, { state: 'a"&b' }));
      const shown = new HostedAnswer(page.status, new Headers(), page.text);
      const form = { form_token: shown.formToken(), email, password };
      const posted = await browser.post(shown.formAction()).set(headers).type('form').send(form);
      return browser.get(posted.headers['location']!).set(headers);
    };

    it('is a page that continues automatically, so that no form leads to the app', async () => {
      const { status, headers, text } = await arrive(web, OWN);
      expect([status, headers['location']]).toEqual([200, undefined]);
      const target = /^0; url=(\S+)$/.exec(headers['refresh']!)![1]!;
      expect(target.startsWith(`${web.redirectUri}?`)).toBe(true);
      expect(new URL(target).searchParams.get('state')).toBe('a"&b');
      expect((await exchange(web, new URL(target).searchParams.get('code'))).status).toBe(200);
      const link = /<a class="button wide" href="([^"]+)"/.exec(text)![1]!;
      expect(link.replaceAll('&amp;', '&').replaceAll('&#x3D;', '=')).toBe(target);
      expect([headers['cache-control'], headers['referrer-policy']]).toEqual(['no-store', 'no-referrer']);
      expect(headers['content-security-policy']).toContain("; form-action 'self';");
    });

    it.each([
      ['comes from another site', { ...OWN, 'Sec-Fetch-Site': 'cross-site' }],
      ['is asked by a script', { ...OWN, 'Sec-Fetch-Mode': 'cors', 'Sec-Fetch-Dest': 'empty' }],
      ['is shown in a frame', { ...OWN, 'Sec-Fetch-Dest': 'iframe' }],
      ['says only that it comes from us', { 'Sec-Fetch-Site': 'same-origin' }],
    ])('is a redirect if the request %s', async (_, headers) => {
      const { email, password } = await world.user(web);
      const browser = service.browser();
      const page = await browser.get(loginPath(web));
      const shown = new HostedAnswer(page.status, new Headers(), page.text);
      const form = { form_token: shown.formToken(), email, password };
      await browser.post(shown.formAction()).set('Sec-Fetch-Site', 'same-origin').type('form').send(form);
      const again = await browser.get(loginPath(web)).set(headers);
      expect([again.status, again.headers['location']!.startsWith(`${web.redirectUri}?code=`)]).toEqual([302, true]);
      expect(again.headers['refresh']).toBeUndefined();
    });

    it('is a page that opens a native app and says that the user is signed in', async () => {
      const { status, headers, text } = await arrive(native, OWN);
      expect([status, headers['location'], headers['cache-control']]).toEqual([200, undefined, 'no-store']);
      const target = /^0; url=(\S+)$/.exec(headers['refresh']!)![1]!;
      expect(target.startsWith(`${native.redirectUri}?access_token=`)).toBe(true);
      expect(new URL(target).searchParams.get('state')).toBe('a"&b');
      expect(text).toContain('<h1>You are signed in</h1>');
      const link = /<a class="button wide" href="([^"]+)"/.exec(text)![1]!;
      expect(link.replaceAll('&amp;', '&').replaceAll('&#x3D;', '=')).toBe(target);
    });
  });

  it.each([
    ['web', () => web, () => new URL(web.redirectUri).origin],
    ['native', () => native, () => new URL(native.redirectUri).protocol],
  ] as const)('can leave the pages’ forms only to the one origin or scheme of the %s app', async (_, app, source) => {
    const browser = new HostedBrowser(service.baseUrl);
    const login = await browser.get(loginPath(app()));
    const forgot = await browser.get(login.formAction().replace('/password', '/forgot'));
    for (const { headers } of [login, forgot])
      expect(headers.get('content-security-policy')).toContain(`; form-action 'self' ${source()};`);
  });
});
