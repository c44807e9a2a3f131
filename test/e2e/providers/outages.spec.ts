import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { activeMs } from '../../support/active-time.js';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { follow, providerUser, startPath } from '../../support/provider-sign-in.js';
import { ScriptedOpenId } from '../../support/scripted-openid.js';
import { GithubPeer } from '../../support/servers/github-peer.js';
import type { Script, ScriptedAnswer } from '../../support/servers/scripted-server.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type TestClient, World } from '../../support/world.js';

const REDIRECT = 'https://shop.example/cb';
const ELSEWHERE = 'http://127.0.0.1:9/elsewhere';

const FAULTS: Record<string, Script> = {
  'an error': () => ({ status: 500, body: { error: 'server_error' } }),
  'a refusal': () => ({ status: 400, body: { error: 'invalid_grant' } }),
  'a redirect': () => ({ status: 302, headers: { Location: ELSEWHERE } }),
  'a redirect that keeps the body': () => ({ status: 307, headers: { Location: ELSEWHERE } }),
  HTML: () => ({ body: '<html>maintenance</html>' }),
  nothing: () => ({ body: '' }),
  null: () => ({ body: 'null', headers: { 'Content-Type': 'application/json' } }),
  'a list': () => ({ body: [] }),
  'half of it': () => ({ body: '{"access_token":"x', headers: { 'Content-Type': 'application/json' } }),
};

// security 40, F9.
describe('Faulty provider', () => {
  let google: ScriptedOpenId;
  let github: GithubPeer;
  let service: TestApp;
  let world: World;
  let app: TestClient;
  let browser: HostedBrowser;

  beforeAll(async () => {
    [google, github] = await Promise.all([ScriptedOpenId.start(), GithubPeer.start()]);
    const providers = {
      google: google.settings,
      microsoft: google.settings,
      github: github.settings,
      apple: null,
    };
    service = await startTestApp({ settings: { providers } });
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    const config = { redirect_uris: [REDIRECT], allowed_providers: ['password', 'google', 'microsoft', 'github'] };
    app = {
      ...(await world.app(await world.tenant(), { registration_policy: 'open', config })),
      redirectUri: REDIRECT,
    };
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await Promise.all([google.close(), github.close()]);
  });

  beforeEach(() => {
    browser = new HostedBrowser(service.baseUrl);
    google.user = providerUser();
  });

  afterEach(() => google.reset());

  const trip = async (provider: string, path = startPath(provider as 'google', app, { state: 'mine' })) => {
    const { location } = await browser.get(path);
    const sent = new URL(location!).searchParams;
    google.nonce = sent.get('nonce') ?? '';
    const callback = `/oauth/${provider}/callback?code=code&state=${sent.get('state')!}`;
    const answer = await follow(browser, await browser.get(callback));
    return { answer, again: () => browser.get(callback) };
  };

  const expectProviderError = async (provider: string) => {
    const { answer, again } = await trip(provider);
    expect([answer.delivered.get('error'), answer.delivered.get('state')]).toEqual(['provider_error', 'mine']);
    expect(browser.cookie('sso')).toBeUndefined();
    expect(await world.sql('SELECT 1 FROM users WHERE email = $1', [google.user['email']])).toEqual([]);
    expect((await again()).status).toBe(400); // the state is used up
  };

  describe.each(['google', 'microsoft'])('%s', (provider) => {
    it.each(Object.keys(FAULTS))('with a token endpoint that answers %s', async (name) => {
      google.server.on('/token', FAULTS[name]!);
      await expectProviderError(provider);
    });
  });

  it.each(Object.keys(FAULTS))('google with a userinfo endpoint that answers %s', async (name) => {
    google.server.on('/userinfo', FAULTS[name]!);
    await expectProviderError('google');
  });

  it('google with userinfo of another user', async () => {
    google.server.on('/userinfo', () => ({ body: { ...google.user, sub: 'another-user' } }));
    await expectProviderError('google');
  });

  it.each(['/login/oauth/access_token', '/user', '/user/emails'])('github with every fault at %s', async (path) => {
    const ill = await GithubPeer.start();
    const settings = { ...service.settings.providers, github: ill.settings };
    const other = await startTestApp({ settings: { providers: settings } });
    try {
      browser = new HostedBrowser(other.baseUrl);
      const errors: (string | null)[] = [];
      for (const fault of Object.values(FAULTS)) {
        if (path !== '/login/oauth/access_token')
          ill.server.on('/login/oauth/access_token', () => ({ body: { access_token: 'at' } }));
        if (path === '/user/emails') ill.server.on('/user', () => ({ body: { id: 7, login: 'ada' } }));
        ill.server.on(path, fault);
        const { location } = await browser.get(startPath('github', app));
        const state = new URL(location!).searchParams.get('state')!;
        const answer = await follow(browser, await browser.get(`/oauth/github/callback?code=code&state=${state}`));
        errors.push(answer.location ? answer.delivered.get('error') : `page ${answer.status}`);
      }
      // Without an address there is no account, and that is a page.
      const last = path === '/user/emails' ? new Set(['provider_error', 'page 403']) : new Set(['provider_error']);
      expect(new Set(errors)).toEqual(last);
    } finally {
      await other.close();
      await ill.close();
    }
  });

  it('is never followed through a redirect', async () => {
    google.server.on('/token', () => ({ status: 307, headers: { Location: `${google.server.origin}/trap` } }));
    await expectProviderError('microsoft');
    await expectProviderError('google');
    expect(google.server.to('/trap')).toEqual([]);
  });

  /** Each would be accepted, but for how it comes. */
  it.each<[string, (right: object) => ScriptedAnswer]>([
    ['beside a redirect', (right) => ({ status: 302, headers: { Location: ELSEWHERE }, body: right })],
    ['that is too long', (right) => ({ body: { ...right, padding: 'x'.repeat(2 << 20) } })],
    [
      'that unpacks to too much',
      (right) => ({
        headers: { 'Content-Encoding': 'gzip', 'Content-Type': 'application/json' },
        body: gzipSync(JSON.stringify({ ...right, padding: 'x'.repeat(8 << 20) })),
      }),
    ],
  ])('is not trusted with a right answer %s', async (_, spoil) => {
    for (const provider of ['google', 'microsoft']) {
      google.server.on('/token', async () => spoil((await google.token()).body as object));
      await expectProviderError(provider);
    }
  });

  it('times out after ten seconds, and password sign-in still works meanwhile', async () => {
    google.server.on('/token', () => 'hang');
    const user = await world.user(app);
    let isOver = false;
    const slow = activeMs(() => expectProviderError('google')).finally(() => (isOver = true));
    const other = new HostedBrowser(service.baseUrl);
    const signedIn = await other.signIn(loginPath(app), user.email, user.password);
    expect(signedIn.delivered.get('code')).toBeTruthy();
    expect(isOver).toBe(false);
    expect(await slow).toBeLessThan(12_000);
  });

  it('leads back to the sign-in page with the other methods, if the user started there', async () => {
    google.server.on('/token', FAULTS['an error']!);
    const page = await browser.get(loginPath(app));
    const href = /href="(\/oauth\/google\/start[^"]+)"/.exec(page.body)![1]!.replaceAll('&#x3D;', '=');
    const { answer } = await trip('google', href);
    expect([answer.status, answer.location]).toEqual([503, null]);
    expect(answer.body).toContain('does not work right now');
    const user = await world.user(app);
    const done = await browser.submit(answer, { email: user.email, password: user.password });
    expect(done.delivered.get('code')).toBeTruthy();
  });

  it('that is down does not prevent the service from starting or from redirecting users to it', async () => {
    const dead = Object.fromEntries(
      Object.entries(google.settings).map(([name, value]) => [
        name,
        value.replace(google.server.origin, 'http://127.0.0.1:9'),
      ]),
    ) as unknown as typeof google.settings;
    const other = await startTestApp({
      settings: { providers: { ...service.settings.providers, google: dead, microsoft: dead } },
    });
    try {
      browser = new HostedBrowser(other.baseUrl);
      for (const provider of ['google', 'microsoft']) await expectProviderError(provider);
    } finally {
      await other.close();
    }
  });
});
