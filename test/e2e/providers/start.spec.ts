import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sendForm } from '../../support/account-visitor.js';
import { type HostedAnswer, HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { PKCE, VERIFIER } from '../../support/one-time-code.js';
import { follow, providerUser, startPath } from '../../support/provider-sign-in.js';
import { codeAt, nextCode } from '../../support/authenticator.js';
import { ScriptedOpenId } from '../../support/scripted-openid.js';
import { GithubPeer } from '../../support/servers/github-peer.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type TestClient, type TestTenant, type Tokens, unique, World } from '../../support/world.js';

const REDIRECT = 'https://shop.example/cb';

// security 38
describe('GET /oauth/{provider}/start and errors to the app:', () => {
  let google: ScriptedOpenId;
  let github: GithubPeer;
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;
  let browser: HostedBrowser;

  beforeAll(async () => {
    [google, github] = await Promise.all([ScriptedOpenId.start(), GithubPeer.start()]);
    const providers = { google: google.settings, microsoft: null, github: github.settings, apple: null };
    service = await startTestApp({ settings: { providers } });
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await Promise.all([google.close(), github.close()]);
  });

  beforeEach(async () => {
    browser = new HostedBrowser(service.baseUrl);
    google.user = providerUser();
    tenant = await world.tenant();
    const config = { redirect_uris: [REDIRECT], allowed_providers: ['password', 'google', 'microsoft', 'github'] };
    app = { ...(await world.app(tenant, { registration_policy: 'open', config })), redirectUri: REDIRECT };
  });

  const depart = async (path: string, on = browser) => {
    const sent = new URL((await on.get(path)).location!).searchParams;
    google.nonce = sent.get('nonce') ?? '';
    return sent;
  };

  const back = (sent: URLSearchParams, parameters: Record<string, string> = { code: 'code' }, on = browser) => {
    const query = new URLSearchParams({ ...parameters, state: sent.get('state')! });
    return on.get(`/oauth/google/callback?${query.toString()}`);
  };

  const trip = async (more: Record<string, string> = {}, on = browser) =>
    follow(on, await back(await depart(startPath('google', app, more), on), { code: 'code' }, on));

  it.each(['microsoft', 'apple', 'facebook', 'Google', 'constructor'])(
    'returns 404 for %s, which is not configured or unknown',
    async (name) => {
      for (const path of [`/oauth/${name}/start?app_id=${app.id}`, `/oauth/${name}/callback?code=c&state=s`]) {
        const answer = await world.call('GET', path);
        expect([answer.status, answer.body]).toEqual([404, { detail: 'Unknown provider' }]);
      }
    },
  );

  it('requires a challenge if the app requires PKCE, before redirecting to the provider', async () => {
    await world.asAdmin('PUT', `/admin/apps/${app.id}`, { config: { require_pkce: true } });
    for (const provider of ['google', 'github'] as const) {
      const refused = await browser.get(startPath(provider, app, { state: 'kept' }));
      expect([refused.status, refused.location?.split('?')[0], Object.fromEntries(refused.delivered)]).toEqual([
        302,
        REDIRECT,
        { error: 'invalid_request', error_description: 'code_challenge is missing', state: 'kept' },
      ]);
      const begun = await browser.get(startPath(provider, app, PKCE));
      expect(begun.location).not.toContain(REDIRECT);
    }
    const end = await trip(PKCE);
    const code = end.delivered.get('code');
    const exchange = (more: object) =>
      world.call('POST', '/token/exchange', { code, app_id: app.id, redirect_uri: REDIRECT, ...more });
    expect((await exchange({ code_verifier: VERIFIER })).status).toBe(200);
  });

  it('takes the same resource twice as one, and refuses two (RFC 8707 section 2)', async () => {
    const [first, second] = [`https://a-${unique()}.example`, `https://b-${unique()}.example`];
    const api = { name: 'API', scopes: ['read'], token_lifetime_minutes: 5 };
    const resources = [first, second].map((identifier) => ({ identifier, ...api }));
    await world.asAdmin('PATCH', `/admin/tenants/${tenant.id}`, { resources });
    await world.asAdmin('PUT', `/admin/apps/${app.id}`, { config: { resources: [first, second] } });
    const start = (other: string) =>
      browser.get(`${startPath('google', app, { resource: first })}&resource=${encodeURIComponent(other)}`);
    expect((await start(first)).location).toContain(google.settings.issuer);
    expect((await start(second)).delivered.get('error')).toBe('invalid_target');
  });

  it('returns 404 for Apple’s form if Apple is not configured', async () => {
    const answer = await browser.postFromOutside('/oauth/apple/callback', { code: 'c', state: 's' });
    expect(answer.status).toBe(404);
  });

  it.each([
    ['no app', () => '/oauth/google/start'],
    ['an unknown app', () => '/oauth/google/start?app_id=00000000-0000-4000-8000-000000000000'],
    ['a malformed app', () => '/oauth/google/start?app_id=x'],
    ['a redirect URI of another user', () => startPath('google', { ...app, redirectUri: 'https://evil.example/cb' })],
    ['two redirect URIs', () => `${startPath('google', app)}&redirect_uri=${encodeURIComponent(REDIRECT)}`],
  ])('shows the error page for %s, without a redirect', async (_, path) => {
    const answer = await browser.get(path());
    expect([answer.status, answer.location]).toEqual([400, null]);
    expect(answer.body).toContain('For the developer of the app');
  });

  it('shows the error page for an app without a redirect URI', async () => {
    const bare = await world.app(tenant, { config: { redirect_uris: [], allowed_providers: ['google'] } });
    const answer = await browser.get(`/oauth/google/start?app_id=${bare.id}`);
    expect([answer.status, answer.location]).toEqual([400, null]);
  });

  it('rejects a provider that the app does not allow, at the start and at the callback', async () => {
    const narrow = await world.app(tenant, { config: { redirect_uris: [REDIRECT] } });
    const out = await browser.get(startPath('google', { ...narrow, redirectUri: REDIRECT }, { state: 'mine' }));
    expect([out.delivered.get('error'), out.delivered.get('state')]).toEqual(['access_denied', 'mine']);
    const sent = await depart(startPath('google', app));
    await world.asAdmin('PUT', `/admin/apps/${app.id}`, { config: { allowed_providers: ['password', 'github'] } });
    const calls = google.server.to('/token').length;
    const returned = await back(sent);
    expect(returned.delivered.get('error')).toBe('access_denied');
    expect(google.server.to('/token')).toHaveLength(calls);
    expect(browser.cookie('sso')).toBeUndefined();
  });

  describe('checks again what the app allows after the provider has answered:', () => {
    /** The sign-in of a new user, with the change made while the provider is asked. */
    const during = async (change: () => Promise<unknown>): Promise<HostedAnswer> => {
      const sent = await depart(startPath('google', app));
      google.server.on('/token', async () => {
        await change();
        return google.token();
      });
      const answer = await back(sent);
      google.reset();
      return answer;
    };

    const expectNobody = async () => {
      expect(browser.cookie('sso')).toBeUndefined();
      expect(await world.sql('SELECT 1 FROM users WHERE email = $1', [google.user['email']])).toEqual([]);
    };

    it('rejects a sign-in at a provider that is no longer allowed', async () => {
      const config = { allowed_providers: ['password', 'github'] };
      const answer = await during(() => world.asAdmin('PUT', `/admin/apps/${app.id}`, { config }));
      expect(answer.delivered.get('error')).toBe('access_denied');
      await expectNobody();
    });

    it('rejects a sign-in if the tenant was switched off', async () => {
      const answer = await during(() => world.asAdmin('PATCH', `/admin/tenants/${tenant.id}`, { is_active: false }));
      expect([answer.status, answer.location]).toEqual([400, null]);
      await expectNobody();
    });

    it('lets in only invited users if the policy is now invite', async () => {
      const invited = { registration_policy: 'invite' };
      const answer = await during(() => world.asAdmin('PUT', `/admin/apps/${app.id}`, invited));
      expect(answer.location).toContain('/oauth/invite?oauth_token=');
      await expectNobody();
    });
  });

  it.each(['state', 'device_id', 'invite_code', 'nonce', 'login_hint'])(
    'rejects a NUL in %s as the sign-in page does, before anything is stored',
    async (name) => {
      for (const path of [startPath('github', app, { [name]: 'a\0b' }), `${loginPath(app)}&${name}=a%00b`]) {
        const answer = await browser.get(path);
        expect([path, answer.status, answer.location]).toEqual([path, 422, null]);
      }
      expect(await world.sql('SELECT 1 FROM sign_in_attempts WHERE app_id = $1', [app.id])).toEqual([]);
    },
  );

  it('shows errors on the sign-in page if the user started there and has other methods', async () => {
    const page = await browser.get(loginPath(app));
    const href = /href="(\/oauth\/google\/start[^"]+)"/.exec(page.body)![1]!.replaceAll('&#x3D;', '=');
    const sent = await depart(href);
    const answer = await back(sent, { error: 'access_denied', error_description: '<b>no</b>' });
    expect([answer.status, answer.location]).toEqual([400, null]);
    expect(answer.body).toContain('You were not signed in with Google');
    expect(answer.body).not.toContain('<b>no');
    const user = await world.user(app);
    const done = await browser.submit(answer, { email: user.email, password: user.password });
    expect(done.delivered.get('code')).toBeTruthy();
  });

  it('shows the next user of a browser nothing of the one who has signed out', async () => {
    const home = await world.app(tenant);
    const before = await world.user(home);
    await browser.signIn(loginPath(home), before.email, before.password);
    const join = await browser.get(loginPath(app));
    expect(join.body).toContain(before.email);
    const attempt = /[0-9a-f-]{36}/.exec(join.formAction())![0];
    const start = `/oauth/google/start?attempt=${attempt}`;
    const [early, late] = [await depart(start), await depart(start)];
    await sendForm(browser, '/account/sign-out');
    const expectNothingOf = (answer: HostedAnswer) => {
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.body).toContain('type="password"');
      expect(answer.body).not.toContain(before.email);
    };
    for (const sent of [early, await depart(start)]) expectNothingOf(await back(sent, { error: 'access_denied' }));
    await world.asAdmin('PUT', `/admin/apps/${app.id}`, { config: { allowed_providers: ['password', 'github'] } });
    expectNothingOf(await browser.get(start));
    expectNothingOf(await back(late));
  });

  it('passes login_hint and known prompts to Google, and no other parameter', async () => {
    const more = {
      login_hint: 'ada@example.com',
      prompt: 'consent select_account',
      hd: 'evil.example',
      access_type: 'offline',
    };
    const sent = await depart(startPath('google', app, more));
    expect(sent.get('login_hint')).toBe('ada@example.com');
    expect(sent.get('prompt')).toBe('consent select_account');
    expect([...sent.keys()].sort()).toEqual(
      [
        'client_id',
        'code_challenge',
        'code_challenge_method',
        'login_hint',
        'nonce',
        'prompt',
        'redirect_uri',
        'response_type',
        'scope',
        'state',
      ].sort(),
    );
  });

  it.each([
    { prompt: 'everything' },
    { prompt: 'none login' },
    { prompt: 'login login' },
    { login_hint: 'a\nb' },
    { login_hint: 'x'.repeat(400) },
  ] as Record<string, string>[])('returns an error to the app for %j', async (more) => {
    const answer = await browser.get(startPath('google', app, { ...more, state: 'mine' }));
    expect([answer.delivered.get('error'), answer.delivered.get('state')]).toEqual(['invalid_request', 'mine']);
  });

  it('does not pass login_hint and prompt to the other providers', async () => {
    const sent = await depart(startPath('github', app, { login_hint: 'ada@example.com', prompt: 'none' }));
    expect([sent.get('login_hint'), sent.get('prompt'), sent.get('login')]).toEqual([null, null, null]);
  });

  it('signs in silently with prompt=none, and returns login_required if Google rejects that', async () => {
    await trip();
    const silent = new HostedBrowser(service.baseUrl);
    const sent = await depart(startPath('google', app, { prompt: 'none' }), silent);
    expect(sent.get('prompt')).toBe('none');
    const done = await follow(silent, await back(sent, { code: 'code' }, silent));
    expect(done.delivered.get('code')).toBeTruthy();
    for (const error of ['login_required', 'interaction_required', 'consent_required']) {
      const refused = await back(await depart(startPath('google', app, { prompt: 'none', state: 'x' })), { error });
      expect([refused.delivered.get('error'), refused.delivered.get('state')]).toEqual(['login_required', 'x']);
    }
  });

  it('shows no page with prompt=none in any case', async () => {
    google.user = { ...providerUser(), email: (await world.user(app, { email_verified: false })).email };
    const answer = await trip({ prompt: 'none' });
    expect(answer.delivered.get('error')).toBe('access_denied');
  });

  it.each([
    ['server_error', 'provider_error'],
    ['temporarily_unavailable', 'provider_error'],
    ['<script>', 'provider_error'],
    ['access_denied', 'access_denied'],
  ])('translates the provider’s error %s into %s', async (error, delivered) => {
    const answer = await back(await depart(startPath('google', app, { state: 'mine' })), { error });
    expect([answer.delivered.get('error'), answer.delivered.get('state')]).toEqual([delivered, 'mine']);
    expect([...answer.delivered.keys()].sort()).toEqual(['error', 'state']);
  });

  it('rejects suspended users, accounts that are off, and all users while the tenant is off', async () => {
    await trip();
    const [user] = await world.sql<{ id: string }>('SELECT id FROM users WHERE email = $1', [google.user['email']]);
    await world.asAdmin('POST', `/admin/users/${user!.id}/suspend`, { app_id: app.id });
    expect((await trip({}, new HostedBrowser(service.baseUrl))).delivered.get('error')).toBe('account_suspended');
    await world.asAdmin('PUT', `/admin/users/${user!.id}/apps/${app.id}/reactivate`);
    await world.sql('UPDATE users SET is_active = false WHERE id = $1', [user!.id]);
    const off = new HostedBrowser(service.baseUrl);
    const answer = await trip({}, off);
    expect([answer.status, answer.body.includes('deactivated'), off.cookie('sso')]).toEqual([403, true, undefined]);
    const sent = await depart(startPath('google', app));
    await world.asAdmin('PATCH', `/admin/tenants/${tenant.id}`, { is_active: false });
    expect((await back(sent)).status).toBe(400);
  });

  it('requires the second factor before anything is issued', async () => {
    const user = await world.user(app);
    const tokens = await world.tokens(user, app.id);
    const asHer = { token: tokens.access_token };
    const setup = await world.call<{ secret: string }>(
      'POST',
      '/account/totp/setup',
      { password: user.password },
      asHer,
    );
    const code = codeAt(setup.body.secret);
    expect((await world.call('POST', '/account/totp/confirm', { code }, asHer)).status).toBe(200);
    google.user = { ...providerUser(), email: user.email };
    const asked = await trip();
    expect([asked.status, asked.location, browser.cookie('sso')]).toEqual([200, null, undefined]);
    expect(asked.body).toContain('six digits');
    const done = await browser.submit(asked, { code: nextCode(setup.body.secret) });
    const exchanged = await world.call<Tokens>('POST', '/token/exchange', {
      code: done.delivered.get('code'),
      app_id: app.id,
    });
    const claims = JSON.parse(Buffer.from(exchanged.body.access_token.split('.')[1]!, 'base64url').toString()) as {
      amr: string[];
    };
    expect(claims.amr).toEqual(expect.arrayContaining(['fed', 'google', 'otp']));
  });

  it('shows no password field for an app that allows only providers', async () => {
    await world.asAdmin('PUT', `/admin/apps/${app.id}`, { config: { allowed_providers: ['github', 'google'] } });
    const page = await browser.get(loginPath(app));
    expect(page.body).not.toContain('type="password"');
    expect([...page.body.matchAll(/Continue with (\w+)/g)].map(([, label]) => label)).toEqual(['GitHub', 'Google']);
  });
});
