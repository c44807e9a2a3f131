import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type HostedAnswer, HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { CHALLENGE } from '../../support/one-time-code.js';
import { enroll } from '../../support/second-factor.js';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { type TestUser, type TestClient, unique, World } from '../../support/world.js';

// security 41
describe('Redirect URI at /login', () => {
  let service: SharedTestApp;
  let world: World;
  let app: TestClient;
  let host: string;

  beforeAll(async () => {
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    host = `shop-${unique()}.example`;
    app = await world.app(await world.tenant(), {
      config: {
        redirect_uris: [
          `https://${host}/a/callback`,
          `https://${host}/query?tab=1&x=%20`,
          'http://127.0.0.1:4000/cb?one=1',
          'http://127.0.0.1:4000/console/logout',
          'http://[::1]:4000/cb',
          'http://localhost:4000/cb',
          'com.example.reader:/cb',
        ],
      },
    });
  });

  afterAll(() => world.close());

  /** No browser secret, no session: what anybody on the net can send. */
  const ask = (redirectUri: string) => new HostedBrowser(service.baseUrl).get(loginPath({ id: app.id, redirectUri }));

  const refuses = async (redirectUri: string) => {
    const answer = await ask(redirectUri);
    expect([redirectUri, answer.status, answer.location]).toEqual([redirectUri, 400, null]);
    expect(answer.headers.get('content-type')).toContain('text/html');
    expect(answer.body).toContain('<dd><code>redirect_uri</code></dd>');
    // No page is an end, and none leads to the address that was refused.
    const main = answer.body.slice(answer.body.indexOf('<main'));
    expect([...main.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)).toEqual(['/account']);
    expect(answer.headers.get('set-cookie')).toBeNull();
  };

  it('may have any port of a loopback address except that of the service', async () => {
    expect((await ask('http://127.0.0.1:4001/console/logout')).status).toBe(200);
    await refuses(`${service.settings.baseUrl}/console/logout`);
  });

  const VARIANTS: readonly [string, (host: string) => string][] = [
    ['the path in another case', (at) => `https://${at}/a/Callback`],
    ['the host in another case', (at) => `https://${at.toUpperCase()}/a/callback`],
    ['the scheme in another case', (at) => `HTTPS://${at}/a/callback`],
    ['a trailing slash', (at) => `https://${at}/a/callback/`],
    ['a path with /../', (at) => `https://${at}/a/x/../callback`],
    ['a path with %2e%2e', (at) => `https://${at}/a/x/%2e%2e/callback`],
    ['a path with %252e', (at) => `https://${at}/a/x/%252e%252e/callback`],
    ['a path with /./', (at) => `https://${at}/a/./callback`],
    ['a letter that is percent-encoded', (at) => `https://${at}/a/%63allback`],
    ['a query behind it', (at) => `https://${at}/a/callback?next=https://evil.example`],
    ['an empty query behind it', (at) => `https://${at}/a/callback?`],
    ['a part of the registered query', (at) => `https://${at}/query?tab=1`],
    ['the registered query in another order', (at) => `https://${at}/query?x=%20&tab=1`],
    ['a port', (at) => `https://${at}:8443/a/callback`],
    ['the default port spelled out', (at) => `https://${at}:443/a/callback`],
    ['user information', (at) => `https://user@${at}/a/callback`],
    ['the host as user information of another', (at) => `https://${at}@evil.example/a/callback`],
    ['the host behind a backslash', (at) => `https://evil.example\\@${at}/a/callback`],
    ['backslashes for slashes', (at) => `https:\\\\${at}\\a\\callback`],
    ['a tab', (at) => `https://${at}/a/call\tback`],
    ['a newline', (at) => `https://${at}/a/callback\n`],
    ['a carriage return and a header', (at) => `https://${at}/a/callback\r\nLocation: https://evil.example`],
    ['a blank in front', (at) => ` https://${at}/a/callback`],
    ['a fragment', (at) => `https://${at}/a/callback#x`],
    ['an empty fragment', (at) => `https://${at}/a/callback#`],
    ['a subdomain', (at) => `https://www.${at}/a/callback`],
    ['the host as a subdomain of another', (at) => `https://${at}.evil.example/a/callback`],
    ['a dot behind the host', (at) => `https://${at}./a/callback`],
    ['a twin of the host in another script', (at) => `https://${at.replace('o', 'о')}/a/callback`],
    ['full-width letters', (at) => `https://${at}/a/ｃallback`],
    ['http for https', (at) => `http://${at}/a/callback`],
    ['no scheme', (at) => `//${at}/a/callback`],
    ['the path alone', () => '/a/callback'],
    ['a shorter path', (at) => `https://${at}/a`],
    ['a longer path', (at) => `https://${at}/a/callback/b`],
    ['parameters of the path', (at) => `https://${at}/a/callback;x=1`],
    ['javascript:', () => 'javascript:alert(1)//'],
    ['data:', () => 'data:text/html,<script>alert(1)</script>'],
    ['another path of the native scheme', () => 'com.example.reader:/cb2'],
    ['slashes in the native scheme', () => 'com.example.reader://cb'],
    ['a host in the native scheme', () => 'com.example.reader://evil.example/cb'],
    ['the native scheme in another case', () => 'COM.example.reader:/cb'],
  ];

  it.each(VARIANTS)('is rejected with %s', (_what, variant) => refuses(variant(host)));

  it('is rejected with a NUL before any other check', async () => {
    const answer = await ask(`https://${host}/a/callback\0`);
    expect([answer.status, answer.location]).toEqual([422, null]);
  });

  it('is accepted exactly as registered', async () => {
    for (const uri of [`https://${host}/a/callback`, `https://${host}/query?tab=1&x=%20`, 'com.example.reader:/cb']) {
      expect([uri, (await ask(uri)).status]).toEqual([uri, 200]);
    }
  });

  it.each([
    'http://127.0.0.1:51823/cb?one=1',
    'http://127.0.0.1/cb?one=1',
    'http://[::1]:51823/cb',
    'http://localhost:4000/cb',
    'http://localhost:51823/cb',
    'http://localhost/cb',
  ])('%s is accepted: the port of a loopback address is free', async (uri) => {
    expect((await ask(uri)).status).toBe(200);
  });

  it.each([
    ['a host that begins like localhost', 'http://localhost.evil.example:4000/cb'],
    ['localhost by https', 'https://localhost:4001/cb'],
    ['another path on loopback', 'http://127.0.0.1:51823/other?one=1'],
    ['another query on loopback', 'http://127.0.0.1:51823/cb?one=2'],
    ['no query on loopback', 'http://127.0.0.1:51823/cb'],
    ['https on loopback', 'https://127.0.0.1:51823/cb?one=1'],
    ['a port that is none', 'http://127.0.0.1:99999/cb?one=1'],
    ['the loopback address as user information', 'http://127.0.0.1:4000@evil.example/cb?one=1'],
    ['a host that begins like loopback', 'http://127.0.0.1.evil.example:4000/cb?one=1'],
    ['another spelling of the loopback address', 'http://127.1:4000/cb?one=1'],
    ['another address of the loopback net', 'http://127.0.0.2:4000/cb?one=1'],
    ['a fragment on loopback', 'http://127.0.0.1:4000/cb?one=1#x'],
  ])('is rejected with %s', (_what, uri) => refuses(uri));

  it('keeps its registered query, and parameters are added after it', async () => {
    const user = await world.user(app);
    const redirectUri = `https://${host}/query?tab=1&x=%20`;
    const sent = await new HostedBrowser(service.baseUrl).signIn(
      loginPath({ id: app.id, redirectUri }, { state: 's' }),
      user.email,
      user.password,
    );
    expect(sent.location).toMatch(/^https:\/\/[^/]+\/query\?tab=1&x=%20&code=[\w-]{43}&state=s$/);
  });

  it('receives the code at the requested loopback port', async () => {
    const user = await world.user(app);
    const sent = await new HostedBrowser(service.baseUrl).signIn(
      loginPath({ id: app.id, redirectUri: 'http://127.0.0.1:51823/cb?one=1' }),
      user.email,
      user.password,
    );
    expect(sent.location).toMatch(/^http:\/\/127\.0\.0\.1:51823\/cb\?one=1&code=[\w-]{43}$/);
  });

  describe('that the app takes back during a sign-in', () => {
    let own: TestClient;
    let user: TestUser;
    let browser: HostedBrowser;

    /** At this address, with another one that stays registered. */
    const register = async (redirectUri: string, config: Record<string, unknown> = {}) => {
      const made = await world.app(await world.tenant(), {
        config: { redirect_uris: [redirectUri, 'https://stays.example/cb'], ...config },
      });
      own = { ...made, redirectUri };
      user = await world.user(own);
      browser = new HostedBrowser(service.baseUrl);
    };
    const leave = (...redirect_uris: string[]) =>
      world.asAdmin('PUT', `/admin/apps/${own.id}`, { config: { redirect_uris } });
    const issued = () =>
      world.sql(
        `SELECT user_id FROM authorization_codes WHERE user_id = $1
         UNION ALL SELECT user_id FROM refresh_families WHERE user_id = $1`,
        [user.id],
      );
    const expectEnd = async (answer: HostedAnswer) => {
      expect([answer.status, answer.location]).toEqual([400, null]);
      expect(answer.body).not.toContain(own.redirectUri.replaceAll('=', '&#x3D;'));
      expect(await issued()).toEqual([]);
    };

    it.each([
      ['a website', () => `https://${host}/withdrawn`],
      ['a native app, which would get tokens', () => 'com.example.withdrawn:/cb'],
    ])('gets no code, token or error: %s', async (_, redirectUri) => {
      await register(redirectUri());
      const page = await browser.get(loginPath(own, { state: 's' }));
      await leave('https://stays.example/cb');
      await expectEnd(await browser.submit(page, { email: user.email, password: user.password }));
      const attempt = page.formAction().replace('/password', '');
      for (const path of [attempt, `${attempt}/forgot`, `${attempt}/back?reason=access_denied`])
        await expectEnd(await browser.get(path));
      const again = await browser.get(loginPath(own));
      expect([again.status, again.body.includes('<dd><code>redirect_uri</code></dd>')]).toEqual([400, true]);
    });

    it('gets no code from a sign-in that waits for the second factor', async () => {
      await register(`https://${host}/waiting`);
      const { backupCodes } = await enroll(world, user, own.id);
      await world.sql('DELETE FROM refresh_families WHERE user_id = $1', [user.id]);
      const waiting = await browser.signIn(loginPath(own), user.email, user.password);
      expect(waiting.formAction()).toMatch(/\/second_factor$/);
      await leave('https://stays.example/cb');
      await expectEnd(await browser.submit(waiting, { code: backupCodes[0]! }));
    });

    it('gets no code for a pushed request', async () => {
      await register(`https://${host}/pushed`);
      const fields = { client_id: own.id, client_secret: own.secret, redirect_uri: own.redirectUri };
      const body = new URLSearchParams({
        ...fields,
        response_type: 'code',
        code_challenge: CHALLENGE,
        code_challenge_method: 'S256',
      });
      const pushed = await fetch(`${service.baseUrl}/auth/par`, { method: 'POST', body });
      const { request_uri } = (await pushed.json()) as { request_uri: string };
      const begun = await browser.get(`/login?${new URLSearchParams({ client_id: own.id, request_uri }).toString()}`);
      const page = await browser.get(begun.location!);
      await leave('https://stays.example/cb');
      await expectEnd(await browser.submit(page, { email: user.email, password: user.password }));
    });

    it('is served if it is registered again, or with another port of its loopback address', async () => {
      await register('http://127.0.0.1:4000/again?one=1');
      const at = { id: own.id, redirectUri: 'http://127.0.0.1:51823/again?one=1' };
      const page = await browser.get(loginPath(at));
      await leave('http://127.0.0.1:4001/again?one=1');
      const sent = await browser.submit(page, { email: user.email, password: user.password });
      expect(sent.location).toMatch(/^http:\/\/127\.0\.0\.1:51823\/again\?one=1&code=[\w-]{43}$/);
    });

    it('does not matter to a sign-in for the account page', async () => {
      await register(`https://${host}/account`);
      const page = await browser.get(`/account/sign-in?app_id=${own.id}`);
      await leave('https://stays.example/cb');
      const sent = await browser.submit(page, { email: user.email, password: user.password });
      expect(sent.location).toBe(`${service.baseUrl}/account`);
    });
  });
});
