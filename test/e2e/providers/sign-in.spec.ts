import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { APPLE, type FakeProviders, startFakeProviders } from '../../support/fake-providers.js';
import {
  returnFromProvider,
  follow,
  passProvider,
  providerUser,
  startPath,
  signInAtProvider,
} from '../../support/provider-sign-in.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type TestClient, type Tokens, unique, World } from '../../support/world.js';
import { CHALLENGE, VERIFIER } from '../../support/one-time-code.js';

const ALL = ['google', 'microsoft', 'github', 'apple'] as const;

describe('Sign-in with an external provider', () => {
  let rig: FakeProviders;
  let service: TestApp;
  let world: World;
  let app: TestClient;
  let browser: HostedBrowser;

  beforeAll(async () => {
    rig = await startFakeProviders();
    const { port, baseUrl, providers } = rig;
    service = await startTestApp({ settings: { port, baseUrl, providers } });
    world = await World.open(baseUrl, service.settings.databaseUrl!);
    const config = { allowed_providers: ['password', ...ALL] };
    app = await world.app(await world.tenant(), { registration_policy: 'open', config: { ...config } });
    await world.asAdmin('PUT', `/admin/apps/${app.id}`, { config: { redirect_uris: [app.redirectUri], ...config } });
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await rig.close();
  });

  beforeEach(() => {
    browser = new HostedBrowser(rig.baseUrl);
  });

  /** A new user, signed in at this provider's stand-in. */
  const arriveAs = (provider: (typeof ALL)[number], fields: { email?: string } = {}) => {
    const user = providerUser(fields);
    if (provider === 'github') {
      const id = Math.floor(Math.random() * 2 ** 40) + 1;
      const emails = [
        { email: `other-${user.email}`, primary: false, verified: true },
        { email: user.email, primary: true, verified: true },
      ];
      rig.github.signInAs({ id, login: 'ada', name: 'Ada Lovelace', emails });
      return { ...user, sub: String(id) };
    }
    rig[provider].signInAs(user);
    return user;
  };

  const rowOf = async (provider: string, subject: string) =>
    (
      await world.sql<{ user_id: string; email: string; email_verified: boolean; display_name: string }>(
        `SELECT l.user_id, u.email, u.email_verified, u.display_name FROM linked_accounts l JOIN users u ON u.id = l.user_id
         WHERE l.provider = $1 AND l.subject = $2`,
        [provider, subject],
      )
    )[0];

  const exchange = (code: string, more = {}) =>
    world.call<Tokens & { detail?: string }>('POST', '/token/exchange', { code, app_id: app.id, ...more });

  describe.each(ALL)('with %s', (provider) => {
    it('creates an account for a new user and delivers a code', async () => {
      const user = arriveAs(provider);
      const answer = await follow(
        browser,
        await signInAtProvider(browser, rig.baseUrl, startPath(provider, app, { state: 'a b' })),
      );
      expect(answer.location).toContain(app.redirectUri);
      expect(answer.delivered.get('state')).toBe('a b');
      const tokens = await exchange(answer.delivered.get('code')!);
      expect(tokens.status).toBe(200);
      const me = await world.call('GET', '/userinfo', undefined, { token: tokens.body.access_token });
      expect(me.body).toMatchObject({ email: user.email, email_verified: provider !== 'microsoft' });
      expect(browser.cookie('sso')).toMatch(/^[\w-]{43}$/);
    });

    it('recognizes the same user the next time', async () => {
      const user = arriveAs(provider);
      await signInAtProvider(browser, rig.baseUrl, startPath(provider, app));
      const first = await rowOf(provider, user.sub);
      const again = new HostedBrowser(rig.baseUrl);
      const answer = await follow(again, await signInAtProvider(again, rig.baseUrl, startPath(provider, app)));
      expect(answer.delivered.get('code')).toBeTruthy();
      expect(await rowOf(provider, user.sub)).toEqual(first);
      expect(await world.sql('SELECT 1 FROM users WHERE email = $1', [user.email])).toHaveLength(1);
    });

    it('starts from the button of the sign-in page', async () => {
      arriveAs(provider);
      const page = await browser.get(loginPath(app, { state: 'mine' }));
      const href = new RegExp(`href="(/oauth/${provider}/start\\?attempt[^"]+)"`).exec(page.body)?.[1];
      const answer = await follow(
        browser,
        await signInAtProvider(browser, rig.baseUrl, href!.replaceAll('&#x3D;', '=').replaceAll('&amp;', '&')),
      );
      expect(answer.location).toContain(app.redirectUri);
      expect(answer.delivered.get('state')).toBe('mine');
    });

    it('sends state and PKCE, different each time', async () => {
      arriveAs(provider);
      const sent = [];
      for (let i = 0; i < 2; i++)
        sent.push(new URL((await browser.get(startPath(provider, app))).location!).searchParams);
      for (const parameters of sent) {
        expect(parameters.get('code_challenge_method')).toBe('S256');
        expect(parameters.get('code_challenge')).toMatch(/^[\w-]{43}$/);
        expect(parameters.get('state')).toMatch(/^[\w-]{43}$/);
        expect(parameters.get('redirect_uri')).toBe(`${rig.baseUrl}/oauth/${provider}/callback`);
        if (provider !== 'github') expect(parameters.get('nonce')).toMatch(/^[\w-]{43}$/);
      }
      for (const name of ['state', 'code_challenge', ...(provider === 'github' ? [] : ['nonce'])])
        expect(sent[0]!.get(name)).not.toBe(sent[1]!.get(name));
    });
  });

  it('redeems the code with the verifier of the challenge', async () => {
    arriveAs('google');
    await signInAtProvider(browser, rig.baseUrl, startPath('google', app));
    const { parameters } = rig.google.requests.findLast(({ path }) => path === '/token')!;
    expect(parameters.get('code_verifier')).toMatch(/^[\w-]{43,128}$/);
  });

  it('signs a client secret for each request to Apple', async () => {
    arriveAs('apple');
    await signInAtProvider(browser, rig.baseUrl, startPath('apple', app));
    const { header, claims } = rig.apple.signedSecrets.at(-1)!;
    expect(header).toEqual({ alg: 'ES256', kid: APPLE.keyId });
    expect(claims).toMatchObject({ iss: APPLE.teamId, sub: APPLE.clientId, aud: rig.apple.issuer });
    expect(claims.exp! - claims.iat!).toBeLessThanOrEqual(300);
  });

  it('answers Apple’s form with a GET that carries only code, state and issuer, and uses the name from it', async () => {
    const member = providerUser({ email_verified: 'true' });
    rig.apple.signInAs({ ...member, name: undefined });
    const started = await browser.get(startPath('apple', app));
    expect(new URL(started.location!).searchParams.get('response_mode')).toBe('form_post');
    const back = await passProvider(started.location!, rig.baseUrl);
    expect(back.kind).toBe('post');
    const user = JSON.stringify({ name: { firstName: 'Grace', lastName: 'Hopper' }, email: 'forged@example.com' });
    const fields = { ...(back as { fields: Record<string, string> }).fields, user, id_token: 'x', extra: 'y' };
    const posted = await browser.postFromOutside(back.path, fields);
    expect(posted.status).toBe(303);
    expect(posted.headers.getSetCookie()).toEqual([]);
    const location = new URL(posted.location!, rig.baseUrl);
    expect([location.pathname, [...location.searchParams.keys()].sort()]).toEqual([
      '/oauth/apple/callback',
      ['code', 'iss', 'state'],
    ]);
    const answer = await follow(browser, await browser.get(posted.location!));
    expect(answer.delivered.get('code')).toBeTruthy();
    expect(await rowOf('apple', member.sub)).toMatchObject({
      email: member.email,
      email_verified: true,
      display_name: 'Grace Hopper',
    });
  });

  it('checks the issuer in Apple’s form', async () => {
    const form = async (iss: string) => {
      arriveAs('apple');
      const started = await browser.get(startPath('apple', app));
      const back = await passProvider(started.location!, rig.baseUrl);
      return follow(browser, await returnFromProvider(browser, back, { iss }));
    };
    expect((await form(rig.google.issuer)).delivered.get('error')).toBe('provider_error');
    expect((await form(rig.apple.issuer)).delivered.get('code')).toBeTruthy();
  });

  it('keeps the app’s device and PKCE challenge', async () => {
    arriveAs('google');
    const more = { device_id: 'phone', code_challenge: CHALLENGE, code_challenge_method: 'S256' };
    const answer = await follow(browser, await signInAtProvider(browser, rig.baseUrl, startPath('google', app, more)));
    const code = answer.delivered.get('code')!;
    const tokens = await exchange(code, { code_verifier: VERIFIER });
    const refresh = (device_id: string) =>
      world.call('POST', '/token/refresh', { refresh_token: tokens.body.refresh_token, app_id: app.id, device_id });
    expect((await refresh('laptop')).status).toBe(401);
    expect((await refresh('phone')).status).toBe(200);
  });

  it('uses the first registered redirect URI if none is named', async () => {
    arriveAs('google');
    const answer = await follow(
      browser,
      await signInAtProvider(browser, rig.baseUrl, `/oauth/google/start?app_id=${app.id}`),
    );
    expect(answer.location).toMatch(new RegExp(`^${app.redirectUri}\\?code=`));
  });

  it('delivers tokens to a custom scheme', async () => {
    const redirectUri = `com.example.${unique()}:/done`;
    const native = await world.app(await world.tenant(), {
      registration_policy: 'open',
      config: { redirect_uris: [redirectUri], allowed_providers: ['google'] },
    });
    arriveAs('google');
    const path = startPath('google', { id: native.id, redirectUri });
    const answer = await follow(browser, await signInAtProvider(browser, rig.baseUrl, path));
    expect(answer.location).toMatch(/^com\.example\.\w+:\/done\?/);
    expect([...answer.delivered.keys()].sort()).toEqual(['access_token', 'refresh_token']);
  });

  it('keeps a new user pending at an app that approves', async () => {
    const approving = await world.app(await world.tenant(), {
      registration_policy: 'approval',
      config: { redirect_uris: ['https://approving.example/cb'], allowed_providers: ['google'] },
    });
    const user = arriveAs('google');
    const path = startPath('google', { id: approving.id, redirectUri: 'https://approving.example/cb' });
    const page = await follow(browser, await signInAtProvider(browser, rig.baseUrl, path));
    expect(page.status).toBe(200);
    expect(page.body).toContain('Your request is pending');
    const { user_id: userId } = (await rowOf('google', user.sub))!;
    expect(await world.sql('SELECT status FROM enrollments WHERE user_id = $1', [userId])).toEqual([
      { status: 'pending' },
    ]);
  });

  it('shows the linked account to administrators, and audits the link', async () => {
    const user = arriveAs('github');
    await signInAtProvider(browser, rig.baseUrl, startPath('github', app));
    const { user_id: userId } = (await rowOf('github', user.sub))!;
    const detail = await world.asAdmin<{ linked_accounts: object[]; has_password: boolean }>(
      'GET',
      `/admin/users/${userId}/detail`,
    );
    expect(detail.linked_accounts).toEqual([
      { provider: 'github', provider_user_id: user.sub, email: user.email, linked_at: expect.any(String) },
    ]);
    expect(detail.has_password).toBe(false);
    expect(await world.asAdmin('GET', `/admin/users/${userId}/impact`)).toMatchObject({ linked_accounts: 1 });
    const entries = await world.sql<{ action: string; metadata: object }>(
      `SELECT action, metadata FROM audit_entries WHERE user_id = $1 AND action = 'linked_account.added'`,
      [userId],
    );
    expect(entries).toEqual([{ action: 'linked_account.added', metadata: { provider: 'github', by: 'sign_up' } }]);
  });

  it('marks the password as last used in this browser if it was', async () => {
    const before = await browser.get(loginPath(app));
    expect(before.body).not.toContain('Last used');
    const { email, password } = await world.user(app);
    await browser.signIn(loginPath(app), email, password);
    const page = await browser.get(loginPath(app, { prompt: 'login' }));
    expect(page.body.replace(/<[^>]*>/g, '')).toContain('Sign inLast used');
    expect(page.body.match(/class="last-used"/g)).toHaveLength(1);
  });

  it('marks the provider as last used in this browser if it was', async () => {
    arriveAs('microsoft');
    await signInAtProvider(browser, rig.baseUrl, startPath('microsoft', app));
    const page = await browser.get(loginPath(app, { prompt: 'login' }));
    const marked = [...page.body.matchAll(/Continue with (\w+)<\/span>(<span class="last-used")?/g)];
    expect(marked.map(([, label, mark]) => [label, mark !== undefined])).toEqual([
      ['Microsoft', true],
      ['Google', false],
      ['GitHub', false],
      ['Apple', false],
    ]);
    expect(page.body.indexOf('Continue with Microsoft')).toBeLessThan(page.body.indexOf('id="email"'));
    expect(page.body).toMatch(/<a [^>]*autofocus>[^]*?Continue with Microsoft/);
  });
});
