import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { API_VERSION } from '../../../src/docs/open-api.service.js';
import { RawConnection } from '../../support/fuzz/raw-connection.js';
import { fuzzTargets } from '../../support/fuzz/targets.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

describe('Error responses', () => {
  let service: TestApp;

  beforeAll(async () => {
    service = await startTestApp();
  });

  afterAll(() => service.close());

  const send = (method: string, path: string, headers: Record<string, string> = {}, body?: string | Uint8Array) =>
    fetch(`${service.baseUrl}${path}`, { method, headers, body, redirect: 'manual' });

  it('are {"detail":"Not Found"} with 404 for an unknown path', async () => {
    for (const path of ['/nothing', '/admin', '/admin/nothing', '/token', '/console/nothing', '/favicon.ico']) {
      const answer = await send('GET', path);
      expect([path, answer.status, await answer.json()]).toEqual([path, 404, { detail: 'Not Found' }]);
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    }
  });

  it('are 405 with the allowed methods for a wrong method', async () => {
    for (const [method, path, allow] of [
      ['DELETE', '/admin/tenants', 'GET, HEAD, POST'],
      ['GET', '/auth/login', 'POST'],
      ['PUT', '/token/refresh', 'POST'],
      ['POST', '/.well-known/jwks.json', 'GET, HEAD'],
      ['PATCH', '/health/live', 'GET, HEAD'],
      ['GET', '/admin/users/00000000-0000-4000-8000-000000000000/suspend', 'POST'],
    ] as const) {
      const answer = await send(method, path);
      expect([path, answer.status, answer.headers.get('allow')]).toEqual([path, 405, allow]);
      expect(await answer.json()).toEqual({ detail: 'Method Not Allowed' });
    }
  });

  it('are 415 without cookies for an unsupported content type, encoding or charset', async () => {
    const login = JSON.stringify({
      email: 'a@example.com',
      password: 'x',
      app_id: '00000000-0000-4000-8000-000000000000',
    });
    for (const type of [
      'text/plain',
      'application/xml',
      'application/jsonx',
      'application/octet-stream',
      'text/html',
    ]) {
      const answer = await send('POST', '/auth/login', { 'Content-Type': type }, login);
      expect([type, answer.status, await answer.json()]).toEqual([type, 415, { detail: 'Unsupported Media Type' }]);
      expect(answer.headers.getSetCookie()).toEqual([]);
    }
    const untyped = await send('POST', '/auth/login', {}, new TextEncoder().encode(login));
    expect(untyped.status).toBe(415);
    const encoded = { 'Content-Type': 'application/json', 'Content-Encoding': 'x-unknown' };
    expect((await send('POST', '/auth/login', encoded, login)).status).toBe(415);
    const charset = { 'Content-Type': 'application/json; charset=x-unknown' };
    expect((await send('POST', '/auth/login', charset, login)).status).toBe(415);
  });

  it('are 400 for a body that does not match its Content-Encoding', async () => {
    const packed = gzipSync(JSON.stringify({ token: 'x', audience: 'a' }));
    for (const body of [JSON.stringify({ token: 'x', audience: 'a' }), packed.subarray(0, packed.length - 9)]) {
      const answer = await send(
        'POST',
        '/token/verify',
        { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' },
        body,
      );
      expect([answer.status, await answer.json()]).toEqual([400, { detail: 'Body cannot be decoded' }]);
    }
  });

  it('are 413 for a body above 256 KB after decompression', async () => {
    const body = JSON.stringify({ token: 'x'.repeat(262_144), audience: 'a' });
    const json = { 'Content-Type': 'application/json' };
    for (const answer of [
      await send('POST', '/token/verify', json, body),
      await send('POST', '/token/verify', { ...json, 'Content-Encoding': 'gzip' }, gzipSync(body)),
      await send('POST', '/auth/token', { 'Content-Type': 'application/x-www-form-urlencoded' }, `a=${body}`),
    ]) {
      expect(answer.status).toBe(413);
      expect(await answer.json()).toMatchObject({ detail: 'Payload Too Large' });
    }
    const small = await send(
      'POST',
      '/token/verify',
      json,
      JSON.stringify({ token: 'x'.repeat(60_000), audience: 'a' }),
    );
    expect(small.status).toBe(200);
  });

  it('are 422 with location, message and type of every invalid field, without the input', async () => {
    const secret = 'do-not-repeat-me';
    const body = { email: secret, password: { nested: secret }, app_id: [secret] };
    const answer = await send('POST', '/auth/login', { 'Content-Type': 'application/json' }, JSON.stringify(body));
    const text = await answer.text();
    expect(answer.status).toBe(422);
    expect(JSON.parse(text)).toEqual({
      detail: expect.arrayContaining([
        { loc: ['body', 'email'], msg: expect.any(String), type: 'value_error' },
        { loc: ['body', 'password'], msg: expect.any(String), type: 'string_type' },
        {
          loc: ['body', 'app_id'],
          msg: expect.any(String),
          type: expect.stringMatching(/^(string_type|uuid_parsing)$/),
        },
      ]),
    });
    expect(text).not.toContain(secret);
    const empty = await send('POST', '/auth/login', { 'Content-Type': 'application/json' }, '{}');
    const { detail } = (await empty.json()) as { detail: { loc: string[]; type: string }[] };
    expect(detail.map(({ loc, type }) => [loc[1], type]).sort()).toEqual([
      ['app_id', 'missing'],
      ['email', 'missing'],
      ['password', 'missing'],
    ]);
  });

  it('contain the error codes of RFC 6749 at the OAuth endpoints only', async () => {
    const json = { 'Content-Type': 'application/json' };
    for (const path of ['/auth/token', '/token/exchange', '/token/revoke']) {
      const answer = await send('POST', path, json, '{"broken');
      expect([path, answer.status]).toEqual([path, 422]);
      expect(await answer.json()).toMatchObject({ detail: [{ type: 'json_invalid' }], error: 'invalid_request' });
    }
    const refresh = (await (await send('POST', '/token/refresh', json, '{"broken')).json()) as object;
    expect(Object.keys(refresh)).toEqual(['detail']);
    const unsupported = await send('POST', '/auth/token', json, '{"grant_type":"password"}');
    expect([unsupported.status, await unsupported.json()]).toEqual([
      400,
      expect.objectContaining({ detail: 'unsupported_grant_type', error: 'unsupported_grant_type' }),
    ]);
  });

  it('contain a Bearer challenge if a token is missing or invalid', async () => {
    for (const [authorization, challenge] of [
      [undefined, 'Bearer'],
      ['Basic YTpi', 'Bearer'],
      ['Bearer', 'Bearer'],
      ['Bearer x', 'Bearer error="invalid_token"'],
      ['bearer x', 'Bearer error="invalid_token"'],
      ['DPoP x', 'DPoP error="invalid_token", algs="RS256 PS256 ES256 EdDSA Ed25519"'],
    ]) {
      const headers = authorization === undefined ? {} : { Authorization: authorization };
      const answer = await send('GET', '/admin/tenants', headers as Record<string, string>);
      expect([authorization, answer.status, answer.headers.get('www-authenticate'), await answer.json()]).toEqual([
        authorization,
        401,
        challenge,
        { detail: 'Not authenticated' },
      ]);
    }
    const userinfo = await send('GET', '/userinfo', { Authorization: 'Bearer x' });
    expect([userinfo.status, userinfo.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringMatching(/^Bearer .*error="invalid_token"/),
    ]);
  });

  it.each([BROWSER, 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2'])(
    'are JSON where tokens are issued and checked, also for Accept “%s” (RFC 6749 section 5.2)',
    async (accept) => {
      for (const path of [
        '/auth/token',
        '/auth/token/',
        '/auth/par',
        '/auth/device-authorization',
        '/auth/register',
        '/token/exchange',
        '/token/introspect',
        '/token/revoke',
        '/token/refresh',
        '/token/verify',
        '/userinfo',
      ]) {
        for (const [type, body] of [
          ['application/x-www-form-urlencoded', 'grant_type=nonsense&token=a'],
          ['application/json', '{"broken'],
        ] as const) {
          const answer = await send('POST', path, { Accept: accept, 'Content-Type': type }, body);
          expect([path, answer.status >= 400 || path === '/token/revoke']).toEqual([path, true]);
          expect([path, answer.headers.get('content-type')]).toEqual([
            path,
            expect.stringMatching(/^application\/json/),
          ]);
          expect([path, answer.headers.get('pragma')]).toEqual([path, 'no-cache']);
          await answer.arrayBuffer();
        }
      }
    },
  );

  it.each([
    [BROWSER, 'html'],
    ['text/html', 'html'],
    ['text/html;q=0.5, application/json', 'json'],
    ['application/json, text/html', 'json'],
    ['application/json', 'json'],
    ['*/*', 'json'],
    ['text/*', 'json'],
    ['', 'json'],
    ['nonsense', 'json'],
  ])('for Accept “%s” are %s', async (accept, kind) => {
    for (const [method, path, status] of [
      ['GET', '/nothing', 404],
      ['GET', '/admin/tenants', 401],
      ['DELETE', '/login', 405],
    ] as const) {
      const answer = await send(method, path, { Accept: accept });
      const text = await answer.text();
      expect([path, answer.status]).toEqual([path, status]);
      expect([path, answer.headers.get('content-type')]).toEqual([path, expect.stringContaining(kind)]);
      expect(text.startsWith(kind === 'html' ? '<!' : '{"detail"')).toBe(true);
      expect(text).not.toMatch(/node_modules|\.js:\d+|Exception/);
    }
  });

  it('do not repeat a hostile URL', async () => {
    const hostile = '/<script>alert(1)</script>?q="><img src=x onerror=alert(1)>';
    for (const accept of [BROWSER, 'application/json']) {
      const answer = await send('GET', encodeURI(hostile), { Accept: accept });
      expect(await answer.text()).not.toMatch(/alert\(1\)/);
    }
    for (const path of ['/%', '/%E0%A4%A', '/admin/users/%/detail', '/assets/%ff', '/a\u0000b']) {
      const answer = await send('GET', path);
      expect([path, answer.status >= 400 && answer.status < 500]).toEqual([path, true]);
      expect(await answer.json()).toHaveProperty('detail');
    }
  });

  it.each([
    ['an invalid Content-Length', 400, 'POST /auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n'],
    ['bytes that are not HTTP', 400, '\x16\x03\x01\x02\r\n\r\n'],
    // Headers are stored, for example the user agent, and PostgreSQL does not accept NUL.
    ['a NUL in a header', 400, 'POST /auth/device-authorization HTTP/1.1\r\nHost: x\r\nUser-Agent: a\0b\r\n\r\n'],
    ['20 KB of headers', 431, `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
  ])('contain a detail even if the request is not valid HTTP: %s', async (_, status, bytes) => {
    const answer = await new RawConnection(service.settings.port).send(Buffer.from(bytes), 'half-closes');
    const detail = status === 431 ? 'Request Header Fields Too Large' : 'Bad Request';
    expect([answer?.status, JSON.parse(answer!.body)]).toEqual([status, { detail }]);
    expect(answer!.headers).toMatchObject({
      connection: 'close',
      'x-api-version': API_VERSION,
      'x-request-id': expect.stringMatching(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/),
    });
  });

  it.each([
    ['no body', undefined, undefined],
    ['an upload instead of a form', 'multipart/form-data; boundary=x', '--x--\r\n'],
    ['the JSON value null', 'application/json', 'null'],
  ])('are never 5xx at a route that receives %s', async (_, type, body) => {
    const targets = (await fuzzTargets(service)).filter(({ takesBody }) => takesBody);
    expect(targets.length).toBeGreaterThan(100);
    for (const { method, path } of targets) {
      const headers: Record<string, string> = type === undefined ? {} : { 'Content-Type': type };
      const answer = await send(method, path.replace(/:\w+|\*/g, 'x'), headers, body);
      expect([method, path, answer.status < 500]).toEqual([method, path, true]);
    }
  });

  it.each(['/auth/token', '/token/introspect', '/token/revoke'])(
    'are 400 at %s without a body, 422 for JSON (RFC 6749 section 5.2)',
    async (path) => {
      const answer = await send('POST', path);
      const { error, error_description: text } = (await answer.json()) as Record<string, string>;
      expect([answer.status, error, text]).toEqual([400, 'invalid_request', expect.stringContaining('Field required')]);
      expect((await send('POST', path, { 'Content-Type': 'application/json' }, '{}')).status).toBe(422);
    },
  );

  it.each(['/auth/token', '/token/introspect', '/token/revoke', '/auth/device-authorization', '/auth/par'])(
    'are 415 at %s for an upload, which is not read there',
    async (path) => {
      const answer = await send('POST', path, { 'Content-Type': 'multipart/form-data; boundary=x' }, '--x--\r\n');
      expect([answer.status, await answer.json()]).toEqual([
        415,
        {
          detail: 'Unsupported Media Type',
          error: 'invalid_request',
          error_description: 'Unsupported Media Type',
        },
      ]);
    },
  );

  it('are 408 for a body that trickles: the time limit counts from the first byte of the request', async () => {
    const server = service.nest.getHttpServer();
    const limitMs = server.requestTimeout;
    expect([server.headersTimeout, limitMs]).toEqual([10_000, 30_000]);
    Object.assign(server, { headersTimeout: 500, requestTimeout: 500 });
    const socket = connect(service.settings.port, '127.0.0.1').on('error', () => undefined);
    socket.write(
      'POST /auth/login HTTP/1.1\r\nHost: x\r\nX-Request-Id: slow-one\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n',
    );
    let trickled = 0;
    const trickle = setInterval(() => socket.write(' ', () => trickled++), 50);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    clearInterval(trickle);
    Object.assign(server, { headersTimeout: 10_000, requestTimeout: limitMs });
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 408 Request Timeout[^]*"detail":"Request Timeout"/);
    // The id of the request, whose headers have arrived.
    expect(answer.toString()).toContain('\r\nX-Request-Id: slow-one\r\n');
    // The limit is looked at each second: long before the body would have been there.
    expect(trickled).toBeLessThan(50);
    socket.destroy();
  });
});
