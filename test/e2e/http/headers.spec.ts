import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { type TestClient, World } from '../../support/world.js';

/** Every kind of answer: pages, documents, tokens, refusals. */
const ANSWERS: readonly (readonly [method: string, path: string])[] = [
  ['GET', '/health/live'],
  ['GET', '/health/ready'],
  ['GET', '/metrics'],
  ['GET', '/openapi.json'],
  ['GET', '/docs'],
  ['GET', '/.well-known/jwks.json'],
  ['GET', '/.well-known/openid-configuration'],
  ['GET', '/login'],
  ['GET', '/setup'],
  ['GET', '/console/'],
  ['GET', '/admin/tenants'],
  ['POST', '/auth/login'],
  ['POST', '/auth/token'],
  ['POST', '/token/verify'],
  ['GET', '/userinfo'],
  ['GET', '/nothing'],
  ['DELETE', '/login'],
  ['HEAD', '/health/live'],
  ['OPTIONS', '/admin/tenants'],
];

/** See docs/conventions.md, section 9: these take credentials in bearer tokens or bodies, not in cookies. */
const OPEN = ['/.well-known/jwks.json', '/.well-known/openid-configuration', '/token/refresh', '/token/verify'].concat([
  '/token/exchange',
  '/token/revoke',
  '/auth/token',
  '/auth/par',
  '/auth/register',
  '/userinfo',
  '/admin/tenants',
  '/admin/users/search',
]);
/** These read or set cookies, or are pages, or no routes at all. */
const CLOSED = ['/login', '/auth/login', '/console/', '/console/login', '/setup', '/sign-in/x', '/health/live'].concat([
  '/metrics',
  '/nothing',
  '/auth/token/x',
  '/administration',
  '/userinfox',
  '/.well-knownx/jwks.json',
]);

describe('HTTP response headers', () => {
  let service: SharedTestApp;
  let world: World;
  let app: TestClient;

  beforeAll(async () => {
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    app = await world.app(await world.tenant());
  });

  afterAll(() => world.close());

  const send = (method: string, path: string, headers: Record<string, string> = {}) =>
    fetch(`${service.baseUrl}${path}`, { method, headers, redirect: 'manual' });

  // security 115
  it.each(ANSWERS)(
    'of %s %s contain the API version, the request id and the security headers, and no server name',
    async (method, path) => {
      const { headers } = await send(method, path);
      expect(headers.get('x-api-version')).toBe('3.9.0');
      expect(headers.get('x-request-id')).toMatch(
        /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      );
      expect(headers.get('x-powered-by')).toBeNull();
      expect(headers.get('server')).toBeNull();
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('strict-transport-security')).toMatch(/^max-age=\d{7,}/);
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
      expect(headers.get('cross-origin-opener-policy')).toBe(/^\/login\b/.test(path) ? 'unsafe-none' : 'same-origin');
      expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
    },
  );

  it.each([
    ['/login', 'unsafe-none'],
    [`/sign-in/01a1fdec-58dd-741b-b57b-cf50ee21b55b`, 'unsafe-none'],
    ['/oauth/google/start', 'unsafe-none'],
    ['/oauth/google/callback', 'unsafe-none'],
    ['/logout', 'unsafe-none'],
    ['/account', 'same-origin'],
    ['/console/', 'same-origin'],
    ['/setup', 'same-origin'],
    ['/login-elsewhere', 'same-origin'],
    ['/', 'same-origin'],
  ])('of %s contain Cross-Origin-Opener-Policy: %s', async (path, policy) => {
    expect((await send('GET', path)).headers.get('cross-origin-opener-policy')).toBe(policy);
  });

  it('repeat a well-formed X-Request-Id and replace any other', async () => {
    for (const given of ['abc-123', 'a', 'A.b_c-9', 'x'.repeat(64)])
      expect((await send('GET', '/nothing', { 'X-Request-Id': given })).headers.get('x-request-id')).toBe(given);
    for (const given of ['x'.repeat(65), 'a b', '<script>', '{"a":1}', 'a;b', 'ä', 'a,b', '../x', '%0a', "a'b"]) {
      const id = (await send('GET', '/nothing', { 'X-Request-Id': given })).headers.get('x-request-id');
      expect([given, id]).toEqual([given, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
    }
  });

  it('contain Cache-Control: no-store for tokens and errors', async () => {
    const user = await world.user(app);
    const login = await world.login(user, app.id);
    const refresh = { refresh_token: login.body.refresh_token, app_id: app.id };
    const credentials = { grant_type: 'client_credentials', client_id: app.id, client_secret: app.secret };
    for (const answer of [
      login,
      await world.call('POST', '/token/refresh', refresh),
      await world.call('POST', '/auth/token', credentials),
      await world.call('GET', '/userinfo', undefined, { token: login.body.access_token }),
      await world.call('POST', '/token/exchange', { code: 'x', app_id: app.id }),
      await world.call('GET', '/admin/tenants'),
    ]) {
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    }
  });

  // A plain request for these goes to its handler without middleware; a cookie sends it the ordinary way.
  it.each([
    [
      '/auth/token',
      'application/x-www-form-urlencoded',
      'grant_type=client_credentials&client_id=ID&client_secret=SECRET',
    ],
    [
      '/auth/token',
      'application/x-www-form-urlencoded',
      'grant_type=client_credentials&client_id=ID&client_secret=wrong',
    ],
    ['/auth/token', 'application/x-www-form-urlencoded', 'grant_type=client_credentials&client_id=&client_secret='],
    ['/auth/token', 'application/x-www-form-urlencoded', 'grant_type=&scope=a'],
    ['/auth/token', 'application/json', '{"grant_type":"unknown"}'],
    ['/auth/token', 'application/json', '{"grant_type":["a"]}'],
    ['/auth/token', 'application/json', '{"grant_type":'],
    ['/token/refresh', 'application/json', '{"refresh_token":"unknown","app_id":"ID"}'],
    ['/token/refresh', 'application/json', '{"refresh_token":"a\\u0000b","app_id":"ID"}'],
    ['/token/refresh', 'application/json', '{"__proto__":{"a":1}}'],
    ['/token/refresh', 'application/json', '[]'],
    ['/token/refresh', 'application/x-www-form-urlencoded', 'refresh_token=unknown&app_id=ID&device_id='],
    ['/token/verify', 'application/json', '{"token":"abc","audience":"ID"}'],
    ['/token/verify', 'application/json', '{"token":7,"audience":"ID"}'],
    ['/token/verify', 'application/json', '"token"'],
  ])('of POST %s (%s) %s are the same with and without a cookie', async (path, type, template) => {
    const { id, secret } = await world.app(await world.tenant());
    const body = template.replace('ID', id).replace('SECRET', secret);
    const ask = async (more: Record<string, string>) => {
      const headers = { 'Content-Type': type, Accept: 'application/json', ...more };
      const answer = await fetch(service.baseUrl + path, { method: 'POST', headers, body });
      const named = [...answer.headers].filter(([name]) => name !== 'date');
      const whole = { status: answer.status, text: await answer.text(), headers: Object.fromEntries(named) };
      // Of the whole, only tokens and nonces are new each time.
      return JSON.parse(JSON.stringify(whole).replace(/eyJ[\w.-]+|nonce(-|=\\")[\w/+=-]+/g, '…')) as unknown;
    };
    const variants: Record<string, string>[] = [{}, { Origin: 'https://app.example' }, { Accept: 'text/html' }];
    for (const more of variants) {
      const request: Record<string, string> = { ...more, 'X-Request-Id': 'same-1' };
      expect(await ask(request)).toEqual(await ask({ ...request, Cookie: 'unrelated=1' }));
    }
  });

  // security 115
  it.each(OPEN)('let pages of any origin read %s, without credentials', async (path) => {
    const preflight = await send('OPTIONS', path, {
      Origin: 'https://app.example',
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'authorization,content-type',
    });
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
    expect(preflight.headers.get('access-control-allow-methods')).toContain('POST');
    for (const name of ['authorization', 'dpop', 'traceparent', 'x-requested-with', 'mcp-protocol-version'])
      expect(preflight.headers.get('access-control-allow-headers')!.toLowerCase().split(', ')).toContain(name);
    for (const method of ['GET', 'POST']) {
      const { headers } = await send(method, path, { Origin: 'https://app.example' });
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.get('access-control-expose-headers')).toMatch(/X-Request-Id/);
      expect(headers.get('access-control-allow-credentials')).toBeNull();
    }
    expect(preflight.headers.get('access-control-allow-credentials')).toBeNull();
  });

  // security 115
  it.each(CLOSED)('let no page of another origin read %s', async (path) => {
    for (const origin of ['https://evil.example', 'null', service.baseUrl]) {
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const extra: Record<string, string> = method === 'OPTIONS' ? { 'Access-Control-Request-Method': 'POST' } : {};
        const { headers } = await send(method, path, { Origin: origin, ...extra });
        const named = [...headers.keys()].filter((name) => name.startsWith('access-control-'));
        expect([method, origin, named]).toEqual([method, origin, []]);
      }
    }
  });
});
