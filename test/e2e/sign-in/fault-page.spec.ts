import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type HostedAnswer, HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { type Failure, postForm } from '../../support/post.js';
import { ScriptedOpenId } from '../../support/scripted-openid.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type TestClient, type TestTenant, World } from '../../support/world.js';

// security 42
describe('GET /login without a valid app or redirect URI', () => {
  let google: ScriptedOpenId;
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;

  beforeAll(async () => {
    google = await ScriptedOpenId.start();
    const providers = { google: google.settings, microsoft: null, github: null, apple: null };
    service = await startTestApp({ settings: { providers } });
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    tenant = await world.tenant();
    app = await world.app(tenant);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await google.close();
  });

  const get = (path: string, headers = {}) => new HostedBrowser(service.baseUrl).get(path, headers);

  const expectFault = (answer: HostedAnswer, parameter: string, fix: string) => {
    expect([answer.status, answer.location]).toEqual([400, null]);
    expect(answer.body).toContain(`<dd><code>${parameter}</code></dd>`);
    expect(answer.body).toContain(fix);
  };

  it('shows an error page for a missing, malformed or unknown app_id', async () => {
    const uri = encodeURIComponent(app.redirectUri);
    expectFault(await get(`/login?redirect_uri=${uri}`), 'app_id', 'Send this parameter with every request');
    expectFault(await get(`/login?app_id=&redirect_uri=${uri}`), 'app_id', 'Send this parameter with every request');
    expectFault(await get(`/login?app_id=1&redirect_uri=${uri}`), 'app_id', 'must be the UUID');
    expectFault(await get(`/login?app_id=${randomUUID()}&redirect_uri=${uri}`), 'app_id', 'No app with this id');
  });

  it.each(['application/json', '*/*'])('returns JSON to a client that accepts %s', async (accept) => {
    const fix = 'Send this parameter with every request to /login.';
    for (const [path, detail] of [
      [`/login?redirect_uri=${encodeURIComponent(app.redirectUri)}`, 'Invalid app_id'],
      [`/login?app_id=${app.id}`, 'Invalid redirect_uri'],
      ['/oauth/google/start', 'Invalid app_id'],
    ] as const) {
      const answer = await get(path, { Accept: accept });
      expect([path, answer.status, answer.headers.get('content-type')]).toEqual([
        path,
        400,
        'application/json; charset=utf-8',
      ]);
      expect(JSON.parse(answer.body)).toEqual({ detail, error: 'invalid_request', error_description: fix });
    }
    const spent = await get('/login?error=invalid_magic_link', { Accept: accept });
    expect([spent.status, JSON.parse(spent.body)]).toEqual([
      400,
      { detail: 'Invalid or expired magic link', error: 'invalid_magic_link' },
    ]);
  });

  it.each(['constructor', 'prototype', '__proto__', '__proto__[x]', 'constructor.prototype'])(
    'ignores an unknown parameter with the name %s, at /logout too (RFC 6749 section 3.1)',
    async (name) => {
      const more = `${encodeURIComponent(name)}=1&${encodeURIComponent(name)}=2`;
      const asked = await get(`${loginPath(app, { prompt: 'none', state: 's' })}&${more}`);
      expect([asked.delivered.get('error'), asked.delivered.get('state')]).toEqual(['login_required', 's']);
      const faulty = await get(`/login?${more}`, { Accept: '*/*' });
      expect([faulty.status, JSON.parse(faulty.body)]).toEqual([
        400,
        expect.objectContaining({ detail: 'Invalid app_id' }),
      ]);
      expect((await get(`/logout?${more}`)).location).toBe('/account/signed-out');
      expect(Object.keys(Object.prototype)).toEqual([]);
    },
  );

  it.each(['constructor', 'prototype', '__proto__', '__proto__[x]', 'constructor.prototype'])(
    'ignores a form field with the name %s, at /logout and the OAuth endpoints too (RFC 6749 section 3.2)',
    async (name) => {
      const json = { Accept: '*/*' };
      const request = { client_id: app.id, redirect_uri: app.redirectUri, response_type: 'code', state: 's' };
      const post = (path: string, fields: Record<string, string>) =>
        postForm<Failure>(service.baseUrl + path, [...Object.entries(fields), [name, '1'], [name, '2']], json);
      const asked = await post('/login', { ...request, prompt: 'none' });
      const answer = new URL(asked.headers.get('location') ?? '').searchParams;
      expect([answer.get('error'), answer.get('state')]).toEqual(['login_required', 's']);
      expect((await post('/logout', { state: 's' })).headers.get('location')).toMatch(/^\/logout\?state=s/);
      expect((await post('/auth/par', { ...request, client_secret: app.secret })).status).toBe(201);
      const credentials = { client_id: app.id, client_secret: app.secret };
      expect((await post('/auth/token', { grant_type: 'client_credentials', ...credentials })).status).toBe(200);
      expect((await post('/token/introspect', { token: 'any', ...credentials })).status).toBe(200);
      expect((await post('/token/exchange', { code: 'any', app_id: app.id })).status).toBe(400);
      expect(Object.keys(Object.prototype)).toEqual([]);
    },
  );

  it('refuses these names in JSON', async () => {
    for (const path of ['/login', '/logout', '/auth/par', '/auth/token', '/token/introspect', '/token/exchange']) {
      const headers = { 'Content-Type': 'application/json', Accept: '*/*' };
      const body = `{"client_id":"${app.id}","__proto__":{"a":1}}`;
      expect([path, (await fetch(service.baseUrl + path, { method: 'POST', headers, body })).status]).toEqual([
        path,
        422,
      ]);
    }
  });

  it('refuses NUL in a parameter that is known, at /logout too', async () => {
    for (const path of [loginPath(app, { state: 'a\0b' }), '/logout?state=a%00b'])
      expect((await get(path, { Accept: '*/*' })).status).toBe(422);
  });

  it('shows an error page for a missing or empty redirect_uri', async () => {
    const fix = 'Send this parameter with every request';
    expectFault(await get(`/login?app_id=${app.id}`), 'redirect_uri', fix);
    expectFault(await get(`/login?app_id=${app.id}&redirect_uri=`), 'redirect_uri', fix);
  });

  it('shows an error page for a repeated app_id or redirect_uri, even with the same value', async () => {
    const uri = encodeURIComponent(app.redirectUri);
    const once = 'Send this parameter exactly once.';
    expectFault(await get(`/login?app_id=${app.id}&app_id=${app.id}&redirect_uri=${uri}`), 'app_id', once);
    expectFault(await get(`/login?app_id=${app.id}&client_id=${randomUUID()}&redirect_uri=${uri}`), 'app_id', once);
    expectFault(await get(`/login?app_id=${app.id}&redirect_uri=${uri}&redirect_uri=${uri}`), 'redirect_uri', once);
  });

  it('does not read PHP-style lists and objects as parameters', async () => {
    const uri = encodeURIComponent(app.redirectUri);
    const missing = 'Send this parameter with every request';
    expectFault(await get(`/login?app_id=${app.id}&redirect_uri[]=${uri}`), 'redirect_uri', missing);
    expectFault(await get(`/login?app_id[a]=${app.id}&redirect_uri=${uri}`), 'app_id', missing);
  });

  it('shows an error page for an app that is off, and for an app of a tenant that is off', async () => {
    const off = await world.app(tenant);
    await world.asAdmin('PUT', `/admin/apps/${off.id}`, { is_active: false });
    const answer = await get(loginPath(off));
    expectFault(answer, 'app_id', 'Switch on the app');
    expect(answer.body).toMatch(/<h1>App com\.example\.\w+ is not available<\/h1>/);
    const closing = await world.tenant();
    const within = await world.app(closing);
    await world.asAdmin('PATCH', `/admin/tenants/${closing.id}`, { is_active: false });
    expectFault(await get(loginPath(within)), 'app_id', 'Switch on the app');
  });

  it('escapes the received values', async () => {
    const hostile = `"><script>alert(1)</script><img src=x onerror=alert(1)>'\`{{7*7}}`;
    for (const path of [
      loginPath({ id: hostile, redirectUri: app.redirectUri }),
      loginPath({ id: app.id, redirectUri: hostile }),
    ]) {
      const { status, body } = await get(path);
      expect(status).toBe(400);
      expect(body).toContain('&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src&#x3D;x');
      expect(body).toContain('{{7*7}}');
      expect(body).not.toContain('<script>alert');
      expect(body).not.toContain('<img src=x');
    }
  });

  it('shortens the received values for the page', async () => {
    const { status, body } = await get(loginPath({ id: app.id, redirectUri: `https://x.example/${'a'.repeat(4000)}` }));
    expect(status).toBe(400);
    expect(body).not.toContain('a'.repeat(400));
  });

  it('never makes a link of the rejected address', async () => {
    const { body } = await get(loginPath({ id: app.id, redirectUri: 'https://evil.example/phish' }));
    expect(body).toContain('<code>https://evil.example/phish</code>');
    expect(body).not.toMatch(/(?:href|action|src|content)="[^"]*evil\.example/);
  });

  it('sends no state and no challenge anywhere', async () => {
    const { body, location } = await get(
      loginPath({ id: app.id, redirectUri: 'https://evil.example/' }, { state: 'secret-state' }),
    );
    expect(location).toBeNull();
    expect(body).not.toContain('secret-state');
  });

  it('does not redirect a client that prefers JSON', async () => {
    const answer = await get(loginPath({ id: app.id, redirectUri: 'https://evil.example/' }), {
      Accept: 'application/json',
    });
    expect([answer.status, answer.location]).toEqual([400, null]);
  });

  it('gives the same answer as POST /login', async () => {
    const answer = await new HostedBrowser(service.baseUrl).post('/login', {
      app_id: app.id,
      redirect_uri: 'https://evil.example/',
    });
    expectFault(answer, 'redirect_uri', 'Add exactly this address');
  });
});
