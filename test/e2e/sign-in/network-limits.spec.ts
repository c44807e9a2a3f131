import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RateLimitSettings } from '../../../src/config/settings.js';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { newInvite } from '../../support/invites.js';
import { PKCE } from '../../support/one-time-code.js';
import { basic, postForm } from '../../support/post.js';
import { ScriptedOpenId } from '../../support/scripted-openid.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { PASSWORD, type TestClient, unique, World } from '../../support/world.js';

const LIMITS: RateLimitSettings = {
  enabled: true,
  overrides: {
    login_page_ip: { points: 4, seconds: 60 },
    oauth_start_ip: { points: 3, seconds: 60 },
    oauth_callback_ip: { points: 3, seconds: 60 },
    refresh_failures: { points: 3, seconds: 60 },
    mail_ip: { points: 3, seconds: 900 },
    pushed_requests: { points: 2, seconds: 60 },
    vapid_ip: { points: 2, seconds: 60 },
    stop_link_ip: { points: 2, seconds: 60 },
  },
};

describe('Rate limits of an IP address', () => {
  let database: TestDatabase;
  let google: ScriptedOpenId;
  let service: TestApp;
  let world: World;
  let app: TestClient;

  beforeAll(async () => {
    [google, database] = await Promise.all([ScriptedOpenId.start(), freshDatabase()]);
    const providers = { google: google.settings, microsoft: null, github: null, apple: null };
    service = await startTestApp({
      settings: { databaseUrl: database.url, trustProxy: 1, rateLimits: LIMITS, providers },
    });
    world = await World.open(service.baseUrl, database.url);
    app = await world.app(await world.tenant(), {
      registration_policy: 'open',
      config: { allowed_providers: ['password', 'magic_link', 'google'] },
    });
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await Promise.all([google.close(), database.drop()]);
  });

  let last = 0;
  const fromNewAddress = () => ({ 'X-Forwarded-For': `203.0.113.${++last}` });
  const attempts = async () =>
    Number(
      (await world.sql<{ count: string }>('SELECT count(*) FROM sign_in_attempts WHERE app_id = $1', [app.id]))[0]!
        .count,
    );
  const start = () => `/oauth/google/start?${new URLSearchParams({ app_id: app.id }).toString()}`;

  it('count reads of the key for web push', async () => {
    const headers = fromNewAddress();
    const read = async () => (await world.call('GET', `/push/vapid/${app.id}`, undefined, { headers })).status;
    expect([await read(), await read(), await read()]).toEqual([403, 403, 429]);
  });

  it('include tries of the current password, for all users of an app together', async () => {
    const server = fromNewAddress();
    const tokens: string[] = [];
    for (let each = 0; each < 6; each++) {
      const { email, password } = await world.user(app);
      const body = { email, password, app_id: app.id };
      const answer = await world.call<{ access_token: string }>('POST', '/auth/login', body, {
        headers: fromNewAddress(),
      });
      tokens.push(answer.body.access_token);
    }
    const guess = (token: string, current_password: string) => {
      const body = { current_password, new_password: `${unique()} words` };
      return world.call('PUT', '/admin/me/password', body, { token, headers: server });
    };
    for (let time = 0; time < 20; time++) expect((await guess(tokens[time % 5]!, 'wrong')).status).toBe(400);
    const refused = await guess(tokens[5]!, PASSWORD);
    expect([refused.status, refused.body]).toEqual([429, { detail: 'rate_limited' }]);
  });

  it('reject more sign-in pages, with a page for browsers and JSON for others, and store nothing', async () => {
    const headers = fromNewAddress();
    const browser = new HostedBrowser(world.baseUrl);
    for (let page = 0; page < 4; page++) expect((await browser.get(loginPath(app), headers)).status).toBe(200);
    const before = await attempts();
    const refused = await browser.get(loginPath(app), headers);
    expect([refused.status, refused.headers.get('content-type')]).toEqual([429, 'text/html; charset=utf-8']);
    expect(refused.body).toContain('Wait a minute, then try again.');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(30);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
    const json = await world.call('GET', loginPath(app), undefined, {
      headers: { ...headers, Accept: 'application/json' },
    });
    expect([json.status, json.body]).toEqual([429, { detail: 'too_many_requests' }]);
    const posted = await browser.post('/login', { app_id: app.id, redirect_uri: app.redirectUri }, headers);
    expect(posted.status).toBe(429);
    expect((await browser.get('/account/sign-in', headers)).status).toBe(429);
    // A sign-in link that is used begins a sign-in like them.
    expect((await browser.get('/auth/magic-link/verify?token=x', headers)).status).toBe(429);
    expect(await attempts()).toBe(before);
    expect((await browser.get(loginPath(app), fromNewAddress())).status).toBe(200);
    // Nor does a finished one begin again.
    const user = await world.user(app);
    const page = await browser.get(loginPath(app), fromNewAddress());
    const fields = { form_token: page.formToken(), email: user.email, password: user.password };
    const { location } = await browser.post(page.formAction(), fields, fromNewAddress());
    expect((await browser.get(location!, headers)).delivered.has('code')).toBe(true);
    expect((await browser.get(location!, headers)).status).toBe(429);
    expect((await browser.get(location!, fromNewAddress())).location).toMatch(/^\/sign-in\//);
  });

  it('count accepted invites like them, of which one code is enough, and store nothing', async () => {
    const headers = fromNewAddress();
    const { code } = await newInvite(world, app);
    const browser = new HostedBrowser(world.baseUrl);
    const page = await browser.get(`/invite?code=${code}`, headers);
    const accept = () => browser.post('/invite', { code, form_token: page.formToken() }, headers);
    for (let way = 0; way < 4; way++) expect((await accept()).status).toBe(303);
    const before = await attempts();
    expect((await accept()).status).toBe(429);
    expect((await browser.get(loginPath(app), headers)).status).toBe(429);
    expect(await attempts()).toBe(before);
    expect((await browser.get(`/invite?code=${code}`, headers)).status).toBe(200);
  });

  it('count pushed requests without a secret, which every caller can send, and leave the app its own limit', async () => {
    const headers = fromNewAddress();
    const client = await world.app(await world.tenant());
    const request = { client_id: client.id, response_type: 'code', redirect_uri: client.redirectUri, ...PKCE };
    const push = async (from: Record<string, string>) =>
      (await postForm(`${world.baseUrl}/auth/par`, request, from)).status;
    for (let count = 0; count < 4; count++) expect(await push(headers)).toBe(201);
    expect(await push(headers)).toBe(429);
    expect(await push(fromNewAddress())).toBe(201);
    for (let count = 0; count < 2; count++)
      expect(await push({ ...headers, ...basic(client.id, client.secret) })).toBe(201);
    expect(await push({ ...headers, ...basic(client.id, client.secret) })).toBe(429);
  });

  it('reject more starts at a provider, which count apart from sign-in pages', async () => {
    const headers = fromNewAddress();
    const browser = new HostedBrowser(world.baseUrl);
    for (let way = 0; way < 3; way++) expect((await browser.get(start(), headers)).status).not.toBe(429);
    const before = await attempts();
    expect((await browser.get(start(), headers)).status).toBe(429);
    const json = await world.call('GET', start(), undefined, { headers: { ...headers, Accept: 'application/json' } });
    expect([json.status, json.body]).toEqual([429, { detail: 'too_many_requests' }]);
    expect(Number(json.headers.get('retry-after'))).toBeGreaterThan(30);
    expect(await attempts()).toBe(before);
    // The form that links an account is a way out like them.
    expect((await browser.post('/oauth/google/link', {}, headers)).status).toBe(429);
    expect((await browser.get(loginPath(app), headers)).status).toBe(200);
  });

  it('count returns from a provider, of all providers together', async () => {
    const headers = fromNewAddress();
    const browser = new HostedBrowser(world.baseUrl);
    const back = '/oauth/google/callback?state=unknown&code=x';
    for (let way = 0; way < 2; way++) expect((await browser.get(back, headers)).status).toBe(400);
    const apple = () => world.call('POST', '/oauth/apple/callback', { state: 'x' }, { headers });
    expect((await apple()).status).not.toBe(429);
    expect((await apple()).status).toBe(429);
    expect((await browser.get(back, headers)).status).toBe(429);
    expect((await browser.get(back, fromNewAddress())).status).toBe(400);
  });

  it('count refused refreshes of a client, at both endpoints, and refuse none that succeeds', async () => {
    const headers = fromNewAddress();
    const [one, other] = [await world.app(await world.tenant()), await world.app(await world.tenant())];
    const refresh = ({ id }: TestClient, from: Record<string, string> = headers) =>
      world.call('POST', '/token/refresh', { app_id: id, refresh_token: 'unknown' }, { headers: from });
    const oauth = ({ id }: TestClient, from: Record<string, string> = headers) =>
      postForm(
        `${world.baseUrl}/auth/token`,
        { grant_type: 'refresh_token', client_id: id, refresh_token: 'unknown' },
        from,
      );
    for (const way of [refresh, oauth, refresh]) expect((await way(one)).status).not.toBe(429);
    for (const way of [refresh, oauth]) {
      const answer = await way(one);
      expect([answer.status, (answer.body as { detail: unknown }).detail]).toEqual([429, 'too_many_requests']);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(30);
    }
    expect((await refresh(other)).status).not.toBe(429);
    expect((await oauth(one, fromNewAddress())).status).not.toBe(429);
    const { refresh_token } = await world.tokens(await world.user(one), one.id);
    const own = await world.call('POST', '/token/refresh', { app_id: one.id, refresh_token }, { headers });
    expect(own.status).toBe(200);
  });

  it('count the pages behind links “This was not me” together, and what their forms send', async () => {
    const pages = ['new-credential', 'email-change', 'passkey-recovery'];
    const statuses: number[][] = [];
    for (const page of pages) {
      const [headers, browser] = [fromNewAddress(), new HostedBrowser(world.baseUrl)];
      const answers = [await browser.get(`/${page}?token=x`, headers), await browser.get(`/${page}?token=x`, headers)];
      for (const other of pages) answers.push(await browser.get(`/${other}?token=x`, headers));
      answers.push(await browser.post(`/${page}/stop`, { token: 'x' }, headers));
      statuses.push(answers.map(({ status }) => status));
    }
    expect(statuses).toEqual(pages.map(() => [400, 400, 429, 429, 429, 429]));
  });

  it('count an IPv6 /48 too, with ten times the limit', async () => {
    const from = (net: number) =>
      world.call('GET', loginPath(app), undefined, {
        headers: { 'X-Forwarded-For': `2001:db8:48:${net.toString(16)}::1` },
      });
    for (let net = 1; net <= 10; net++)
      for (let page = 0; page < 5; page++) expect((await from(net)).status).toBe(page < 4 ? 200 : 429);
    expect((await from(11)).status).toBe(429);
    const other = { 'X-Forwarded-For': '2001:db8:49::1' };
    expect((await world.call('GET', loginPath(app), undefined, { headers: other })).status).toBe(200);
  });

  it('stop all further mails without disclosing it in the answer 200', async () => {
    const headers = fromNewAddress();
    const promised = async () =>
      Number(
        (await world.sql<{ count: string }>("SELECT count(*) FROM outbox_messages WHERE job LIKE 'auth.%'"))[0]!.count,
      );
    const ask = async (path: string) => {
      const before = await promised();
      const body = { email: `stranger-${unique()}@example.com`, app_id: app.id };
      const answer = await world.call('POST', path, body, { headers });
      expect([path, answer.status]).toEqual([path, 200]);
      return (await promised()) - before;
    };
    const signUp = () =>
      world.call(
        'POST',
        '/auth/signup',
        {
          email: `new-${unique()}@example.com`,
          display_name: 'New',
          password: 'a long enough password',
          app_id: app.id,
        },
        { headers },
      );
    expect(await ask('/auth/magic-link/request')).toBe(1);
    expect(await ask('/auth/forgot-password')).toBe(1);
    expect((await signUp()).status).toBe(200);
    for (const path of ['/auth/magic-link/request', '/auth/magic-link', '/auth/forgot-password'])
      expect(await ask(path)).toBe(0);
    const users = async () => (await world.sql('SELECT id FROM users')).length;
    const before = await users();
    const refused = await signUp();
    expect([refused.status, refused.body]).toEqual([429, { detail: 'too_many_requests' }]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(800);
    expect(await users()).toBe(before);
  });
});
