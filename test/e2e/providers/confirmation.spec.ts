import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sendForm, wordsOf } from '../../support/account-visitor.js';
import { type HostedAnswer, HostedBrowser, loginPath, unescapeHtml } from '../../support/hosted-page.js';
import { readJwt } from '../../support/jwt-parts.js';
import { follow, providerUser, startPath } from '../../support/provider-sign-in.js';
import { beginDevice, deviceApp, typeCode } from '../../support/device-grant.js';
import { passkeySettings, SignInPage, TestAuthenticator, addPasskey } from '../../support/passkeys.js';
import { ScriptedOpenId } from '../../support/scripted-openid.js';
import { GithubPeer } from '../../support/servers/github-peer.js';
import { enroll as setUpFactor } from '../../support/second-factor.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type TestUser, type TestClient, type TestTenant, type Tokens, World } from '../../support/world.js';

/** A page of the account that is shown after a sign-in from the last five minutes only. */
const FRESH_PAGE = '/account/second-factor';
const CONFIRM = 'Confirm that it’s you';
const SETS_UP = 'Set up a second factor';
const GOOGLE = '/oauth/google/start';
const TWO_FACTORS = {
  scope: 'openid',
  claims: JSON.stringify({
    id_token: { acr: { essential: true, values: ['http://schemas.openid.net/pape/policies/2007/06/multi-factor'] } },
  }),
};
const IS_DEVICE = 'Is this your device?';
const SECURITY_KEY = '2fc0579f-8113-47ea-b116-bb5a8db9202a';
const NOW = () => Math.floor(Date.now() / 1000);

/** Accounts at GitHub, each of one test: other runs on the same database have others. */
let lastGithubId = Date.now();
const nextGithubId = () => ++lastGithubId;

/** The link of a page to every method of the service. */
function otherWays({ body }: HostedAnswer): string {
  const links = [...body.matchAll(/href="([^"]+)"/g)].map(([, href]) => unescapeHtml(href!));
  return links.find((href) => href.startsWith('/account/sign-in?any=1'))!;
}

describe('A sign-in at a provider', () => {
  let google: ScriptedOpenId;
  let github: GithubPeer;
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;

  beforeAll(async () => {
    [google, github] = await Promise.all([ScriptedOpenId.start(), GithubPeer.start()]);
    const providers = { google: google.settings, microsoft: null, github: github.settings, apple: null };
    service = await startTestApp({ settings: { providers, ...(await passkeySettings()) } });
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    tenant = await world.tenant();
    const allowed_providers = ['password', 'google'];
    app = await world.app(tenant, { registration_policy: 'open', config: { allowed_providers } });
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await Promise.all([google.close(), github.close()]);
  });

  const member = (more: object = {}) => world.user(app, { email_verified: true, ...more });
  /** The one with this address at the provider, who signed in there at that time. */
  const isThere = (email: string, auth_time?: number) => {
    google.user = { ...providerUser({ email }), ...(auth_time === undefined ? {} : { auth_time }) };
  };
  const trip = async (browser: HostedBrowser, path: string) => {
    const sent = new URL((await browser.get(path)).location!).searchParams;
    google.nonce = sent.get('nonce') ?? '';
    const query = new URLSearchParams({ code: 'code', state: sent.get('state')! });
    return follow(browser, await browser.get(`/oauth/google/callback?${query.toString()}`));
  };
  /** From the page of a request, because the way to the provider takes fewer parameters. */
  const byPage = async (path: string) => {
    const browser = new HostedBrowser(world.baseUrl);
    const start = /href="(\/oauth\/google\/start\?[^"]+)"/.exec((await browser.get(path)).body)![1]!;
    return { browser, page: await trip(browser, unescapeHtml(start)) };
  };
  const appWith = (allowed_providers: string[], config: object = {}) =>
    world.app(tenant, { registration_policy: 'open', config: { allowed_providers, ...config } });
  const enroll = ({ id }: TestUser, at: TestClient) =>
    world.asAdmin('PUT', `/admin/users/${id}/roles`, { app_id: at.id, roles: ['user'] });
  const byGoogle = async (at: TestClient, more: Record<string, string> = {}) => {
    const browser = new HostedBrowser(world.baseUrl);
    return { browser, end: await trip(browser, startPath('google', at, more)) };
  };
  const isAsked = async (browser: HostedBrowser) => {
    const { status, location } = await browser.get(FRESH_PAGE);
    if (status === 200) return false;
    expect(location).toContain('/account/sign-in?fresh=1');
    return true;
  };
  const tokensOf = async (end: HostedAnswer, at: TestClient) =>
    (await world.call<Tokens>('POST', '/token/exchange', { code: end.delivered.get('code'), app_id: at.id })).body;

  it('confirms nothing for a user with a password, whom the account page asks for it', async () => {
    const user = await member();
    isThere(user.email);
    const { browser, end } = await byGoogle(app);
    expect(readJwt((await tokensOf(end, app)).access_token).payload['amr']).toEqual(['fed', 'google', 'unprompted']);
    expect(await isAsked(browser)).toBe(true);
    const page = await follow(browser, await browser.get(FRESH_PAGE));
    expect(page.body).toContain(CONFIRM);
    expect(page.body).not.toContain('/oauth/google/start');
    await browser.submit(page, { email: user.email, password: user.password });
    expect(await isAsked(browser)).toBe(false);
  });

  it('confirms for a user who has nothing else', async () => {
    isThere(providerUser().email);
    const { browser, end } = await byGoogle(app);
    expect(readJwt((await tokensOf(end, app)).access_token).payload['amr']).toEqual(['fed', 'google']);
    expect(await isAsked(browser)).toBe(false);
  });

  it.each([
    ['confirms if the provider says that it has just asked for credentials', () => NOW() - 60, false],
    ['confirms nothing if the provider asked for them an hour ago', () => NOW() - 3600, true],
  ])('%s', async (_, askedAt, asked) => {
    const user = await member();
    isThere(user.email, askedAt());
    expect(await isAsked((await byGoogle(app)).browser)).toBe(asked);
  });

  it.each([
    ['prompt=login', { prompt: 'login' }],
    ['max_age', { max_age: '3600' }],
  ])('does not do for %s: the page asks for the password', async (_, wish) => {
    const user = await member();
    isThere(user.email);
    const { browser, page } = await byPage(loginPath(app, wish));
    expect(page.body).toContain(CONFIRM);
    expect(page.body).not.toContain('/oauth/google/start');
    const end = await browser.submit(page, { email: user.email, password: user.password });
    expect(readJwt((await tokensOf(end, app)).access_token).payload['amr']).toEqual(['pwd']);
  });

  it.each(['login', 'login select_account'])(
    'does not do for prompt=login at the app’s own button of a provider that is not asked for it (prompt=%s)',
    async (prompt) => {
      const user = await member();
      const at = await appWith(['password', 'github']);
      await enroll(user, at);
      const emails = [{ email: user.email, primary: true, verified: true }];
      github.signInAs({ id: nextGithubId(), login: 'ada', emails });
      const browser = new HostedBrowser(world.baseUrl);
      const { location } = await browser.get(startPath('github', at, { prompt }));
      const authorized = new URL((await fetch(location!, { redirect: 'manual' })).headers.get('location')!);
      const page = await follow(browser, await browser.get(`${authorized.pathname}${authorized.search}`));
      expect(page.body).toContain(CONFIRM);
      const end = await browser.submit(page, { email: user.email, password: user.password });
      expect(readJwt((await tokensOf(end, at)).access_token).payload['amr']).toEqual(['pwd']);
    },
  );

  it('begins a session where no page may be shown and a passkey is only wished for', async () => {
    const user = await member();
    await addPasskey(world, user, new TestAuthenticator(world.baseUrl));
    const only = await appWith(['google']);
    await enroll(user, only);
    isThere(user.email);
    const { end } = await byGoogle(only, { prompt: 'none', acr_values: 'phr' });
    await tokensOf(end, only);
    const families = await world.sql<{ hasSession: boolean }>(
      `SELECT sid IS NOT NULL AS "hasSession" FROM refresh_families WHERE user_id = $1 AND app_id = $2`,
      [user.id, only.id],
    );
    expect(families).toEqual([{ hasSession: true }]);
  });

  it('leads from the page that asks for the password to another account', async () => {
    const user = await member();
    isThere(user.email);
    const { browser, page } = await byPage(loginPath(app, { prompt: 'login' }));
    const action = page.formAction().replace(/[^/]+$/, 'other-account');
    expect(page.body).toContain(`action="${action}"`);
    const other = await follow(browser, await browser.post(action, { form_token: page.formToken() }));
    expect(other.body).toContain(GOOGLE);
    expect(other.body).not.toContain(CONFIRM);
  });

  it('is confirmed by the second factor where the user has one', async () => {
    const user = await member();
    await setUpFactor(world, user, app.id);
    isThere(user.email);
    const { page } = await byPage(loginPath(app, { prompt: 'login' }));
    expect(page.body).not.toContain(CONFIRM);
    expect(page.formAction()).toMatch(/second_factor$/);
  });

  it('hides no provider from a user who is not in the app: another account may be', async () => {
    const user = await member();
    const other = await world.app(tenant, {
      registration_policy: 'invite',
      config: { allowed_providers: ['password', 'google'] },
    });
    isThere(user.email);
    const { page } = await byPage(loginPath(other, { prompt: 'login' }));
    expect(page.body).not.toContain(CONFIRM);
  });

  it('does at an app that takes nothing else, and not elsewhere with the same session', async () => {
    const user = await member();
    const only = await appWith(['google']);
    await enroll(user, only);
    isThere(user.email);
    const { browser, end } = await byGoogle(only, { max_age: '60' });
    expect(readJwt((await tokensOf(end, only)).access_token).payload['amr']).toEqual(['fed', 'google', 'unprompted']);
    expect(await isAsked(browser)).toBe(true);
    // The account page has the methods of the app that was used last, and a link to all.
    const page = await follow(browser, await browser.get(FRESH_PAGE));
    expect(page.body).toContain(CONFIRM);
    expect(page.body).not.toContain('/oauth/google/start');
    expect(page.body).toContain('<a class="button wide" href="/account/sign-in?any');
    const other = await follow(browser, await browser.get(otherWays(page)));
    expect(other.body).toContain('type="password"');
    const there = await browser.submit(other, { email: user.email, password: user.password });
    expect(there.location).toContain(FRESH_PAGE);
    await trip(browser, startPath('google', app));
    const back = await browser.get(loginPath(app));
    expect(readJwt((await tokensOf(back, app)).access_token).payload['amr']).toEqual(['fed', 'google', 'unprompted']);
  });

  it.each([
    ['the request wants two factors', () => app, TWO_FACTORS],
    ['the app requires two factors', () => appWith(['password', 'google'], { require_2fa: true }), {}],
  ])('sets up no second factor without the password where %s', async (_, at, wish) => {
    const [user, demanding] = [await member(), await at()];
    await enroll(user, demanding);
    isThere(user.email);
    const { browser, page } = await byPage(loginPath(demanding, wish));
    expect(page.body).toContain(CONFIRM);
    expect(page.body).not.toContain(SETS_UP);
    expect(page.body).not.toContain(GOOGLE);
    const attempt = page.formAction().replace(/[^/]+$/, '');
    await browser.post(`${attempt}second_factor_setup`, { form_token: page.formToken(), code: '123456' });
    expect(await world.sql('SELECT 1 FROM second_factors WHERE user_id = $1', [user.id])).toEqual([]);
    expect((await browser.submit(page, { email: user.email, password: user.password })).body).toContain(SETS_UP);
  });

  it('sets up no second factor where the app takes nothing else: the account page does', async () => {
    const user = await member();
    const only = await appWith(['google'], { require_2fa: true });
    await enroll(user, only);
    isThere(user.email);
    const { browser, page } = await byPage(loginPath(only));
    expect(page.body).toContain('Set up your second factor on your account page');
    expect(page.body).not.toContain(GOOGLE);
    const there = await follow(browser, await browser.get(otherWays(page)));
    const end = await browser.submit(there, { email: user.email, password: user.password });
    expect(end.location).toContain(FRESH_PAGE);
    expect((await browser.get(FRESH_PAGE)).body).toContain(SETS_UP);
  });

  it('sets up a second factor for a user who has nothing else', async () => {
    const demanding = await appWith(['password', 'google'], { require_2fa: true });
    isThere(providerUser().email);
    const { browser, page } = await byPage(loginPath(demanding));
    expect((await browser.submit(page, {})).body).toContain(SETS_UP);
  });

  it('offers another sign-in method if the user may have lost the passkey', async () => {
    const user = await member();
    await addPasskey(world, user, new TestAuthenticator(world.baseUrl));
    const keyed = await appWith(['passkey', 'google']);
    await enroll(user, keyed);
    isThere(user.email);
    const { browser, page } = await byPage(loginPath(keyed, { max_age: '3600' }));
    expect(page.body).toContain(CONFIRM);
    const there = await follow(browser, await browser.get(otherWays(page)));
    expect(there.body).toContain('type="password"');
  });

  it('says how an app is opened again after the passkey is lost, about which the account page says more', async () => {
    const user = await member();
    await addPasskey(world, user, new TestAuthenticator(world.baseUrl));
    const keyed = await appWith(['passkey', 'google']);
    await enroll(user, keyed);
    isThere(user.email);
    const { browser, page } = await byPage(loginPath(keyed, { prompt: 'login' }));
    expect(page.body).toMatch(/Lost your passkey\? <a[^>]*>Go to your account page<\/a>, and then open App /);
    const there = await follow(browser, await browser.get(otherWays(page)));
    await browser.submit(there, { email: user.email, password: user.password });
    const remove = /\/account\/passkeys\/[0-9a-f-]{36}/.exec((await browser.get('/account')).body)![0];
    await sendForm(browser, `${remove}/remove`);
    const again = await byPage(loginPath(keyed, { prompt: 'login' }));
    expect(again.page.delivered.get('code')).not.toBeNull();
  });

  it('names the ways that the page offers', async () => {
    const user = await member();
    await addPasskey(world, user, new TestAuthenticator(world.baseUrl));
    isThere(user.email);
    const confirms = async (providers: string[], wish: Record<string, string>, config: object = {}) => {
      const at = await appWith([...providers, 'google'], config);
      await enroll(user, at);
      return wordsOf((await byPage(loginPath(at, wish))).page);
    };
    const fresh = { prompt: 'login' };
    expect(await confirms(['password'], fresh)).toContain('Confirm that it’s you, with your password.');
    expect(await confirms(['magic_link', 'passkey'], fresh)).toContain('with a passkey or a link by e-mail.');
    await world.sql('DELETE FROM passkeys WHERE user_id = $1', [user.id]);
    const byLink = await confirms(['magic_link'], {}, { require_2fa: true });
    expect(byLink).toContain('confirm that it’s you, with a link by e-mail. Or do both on your account page');
    expect(byLink).toContain('Use another sign-in method');
  });

  describe('of a user whose passkeys are lost', () => {
    let guarded: TestClient;
    beforeAll(async () => {
      const config = { allowed_providers: ['passkey', 'google'], require_2fa: true };
      guarded = await world.app(await world.tenant({ passkey_recovery_days: 3 }), { config });
    });
    const owner = async () => {
      const user = await member();
      await addPasskey(world, user, new TestAuthenticator(world.baseUrl));
      await enroll(user, guarded);
      isThere(user.email);
      return user;
    };
    /** The page behind “Lost your passkey?”. */
    const lost = async (browser: HostedBrowser, page: HostedAnswer) => {
      const path = /href="(\/sign-in\/[^"]+\/passkey_recovery)"/.exec(page.body)![1]!;
      return { path, shown: await browser.get(path) };
    };
    const count = async (table: 'passkeys' | 'passkey_recoveries', { id }: TestUser) =>
      (await world.sql(`SELECT 1 FROM ${table} WHERE user_id = $1`, [id])).length;

    it('neither begins nor ends the wait without the password, for which the account page asks', async () => {
      const user = await owner();
      const { browser, page } = await byPage(loginPath(guarded));
      const { path, shown } = await lost(browser, page);
      expect(wordsOf(shown)).toContain('confirm that it’s you with your password');
      const forced = await browser.post(path, { form_token: shown.formToken() });
      expect([forced.status, await count('passkey_recoveries', user)]).toEqual([403, 0]);
      const there = await follow(browser, await browser.get(otherWays(shown)));
      const factor = await browser.submit(there, { email: user.email, password: user.password });
      const own = await lost(browser, factor);
      await browser.post(own.path, { form_token: own.shown.formToken() });
      expect(await count('passkey_recoveries', user)).toBe(1);
      await world.sql("UPDATE passkey_recoveries SET created_at = created_at - interval '3 days' WHERE user_id = $1", [
        user.id,
      ]);
      const due = await byPage(loginPath(guarded));
      const late = await lost(due.browser, due.page);
      expect((await due.browser.post(late.path, { form_token: late.shown.formToken() })).status).toBe(403);
      expect(await count('passkeys', user)).toBe(1);
    });

    it('begins the wait where the user has no password', async () => {
      const user = await owner();
      await world.sql('UPDATE users SET password_hash = NULL WHERE id = $1', [user.id]);
      const { browser, page } = await byPage(loginPath(guarded));
      const { path, shown } = await lost(browser, page);
      await browser.post(path, { form_token: shown.formToken() });
      expect(await count('passkey_recoveries', user)).toBe(1);
    });
  });

  it('allows no device without the password', async () => {
    const user = await member();
    const at = await deviceApp(world, tenant, { allowed_providers: ['password', 'google'] });
    await enroll(user, at);
    isThere(user.email);
    const { browser } = await byGoogle(app);
    const page = await typeCode(browser, (await beginDevice(world, at)).user_code);
    expect(page.body).toContain(CONFIRM);
    const answer = { form_token: page.formToken(), answer: 'allow', shown_to: user.id };
    await browser.post(page.formAction().replace(/[^/]+$/, 'approve_device'), answer);
    expect(
      await world.sql("SELECT 1 FROM sign_in_attempts WHERE user_id = $1 AND request ? 'deviceAllowedBy'", [user.id]),
    ).toEqual([]);
    const asked = await browser.submit(page, { email: user.email, password: user.password });
    expect(asked.body).toContain(IS_DEVICE);
  });

  it('allows a device of an app that takes nothing else', async () => {
    const user = await member();
    const at = await deviceApp(world, tenant, { allowed_providers: ['google'] });
    await enroll(user, at);
    isThere(user.email);
    const { browser } = await byGoogle(app);
    expect((await typeCode(browser, (await beginDevice(world, at)).user_code)).body).toContain(IS_DEVICE);
  });

  it('says how a device goes on where a second factor is set up on the account page', async () => {
    const user = await member();
    const at = await deviceApp(world, tenant, { allowed_providers: ['google'], require_2fa: true });
    await enroll(user, at);
    isThere(user.email);
    const { browser } = await byGoogle(app);
    const page = await typeCode(browser, (await beginDevice(world, at)).user_code);
    expect(page.body).toContain(
      'Set up your second factor on your account page, after you confirm there that it’s you. Then start again on your device',
    );
  });

  it('is confirmed by a passkey of a model that the tenant does not take, at the sign-in and in the token', async () => {
    const admin = await member();
    const device = new TestAuthenticator(world.baseUrl);
    await addPasskey(world, admin, device);
    const strict = await world.tenant({ passkey_aaguids: [SECURITY_KEY] });
    const at = await world.app(strict, { config: { allowed_providers: ['password', 'google'] } });
    await world.asAdmin('PUT', `/admin/users/${admin.id}/roles`, { app_id: at.id, roles: ['user', 'admin'] });
    const two = await appWith(['passkey', 'google'], { require_2fa: true });
    await enroll(admin, two);
    isThere(admin.email);
    const { browser, page } = await byPage(loginPath(two));
    const attempt = page.formAction().replace(/\/[^/]+$/, '');
    await (await SignInPage.open(browser, attempt)).use(device, 'second_factor');
    const end = await follow(browser, await browser.get(loginPath(at, { max_age: '900' })));
    const { access_token: token } = await tokensOf(end, at);
    expect(readJwt(token).payload['amr']).toEqual(['fed', 'google']);
    expect((await world.call('POST', `/admin/apps/${at.id}/regenerate-secret`, undefined, { token })).status).toBe(200);
  });

  it('is answered login_required for max_age without a page, however young it is', async () => {
    const user = await member();
    isThere(user.email);
    const { browser } = await byGoogle(app);
    const silent = (more: Record<string, string>) => browser.get(loginPath(app, { prompt: 'none', ...more }));
    expect((await silent({})).delivered.get('code')).not.toBeNull();
    expect((await silent({ max_age: '3600' })).delivered.get('error')).toBe('login_required');
  });

  it('hides no other provider from a user whose method the app does not take', async () => {
    const user = await member();
    const other = await appWith(['password', 'github']);
    await enroll(user, other);
    isThere(user.email);
    const { browser } = await byGoogle(app);
    const page = await follow(browser, await browser.get(loginPath(other)));
    expect(page.body).toContain('doesn’t accept the method');
    expect(page.body).toContain('/oauth/github/start');
    expect(page.body).not.toContain(CONFIRM);
  });

  it('hides no provider where another user may sign in, because the app has suspended this one', async () => {
    const user = await member();
    const other = await appWith(['password', 'google']);
    await enroll(user, other);
    await world.asAdmin('POST', `/admin/users/${user.id}/suspend`, { app_id: other.id });
    isThere(user.email);
    const { browser } = await byGoogle(app);
    const page = await follow(browser, await browser.get(loginPath(other, { max_age: '3600' })));
    expect(page.body).toContain(GOOGLE);
    expect(page.body).not.toContain(CONFIRM);
  });

  it('hides no provider once the password has changed meanwhile, because no user is known then', async () => {
    const user = await member();
    isThere(user.email);
    const { browser, page } = await byPage(loginPath(app, { prompt: 'login' }));
    expect(page.body).not.toContain(GOOGLE);
    await world.sql('UPDATE users SET credentials_version = credentials_version + 1 WHERE id = $1', [user.id]);
    const again = await browser.get(page.formAction().replace(/\/[^/]+$/, ''));
    expect(again.body).toContain(GOOGLE);
    expect(again.body).not.toContain(CONFIRM);
  });

  it('leads from a tenant’s Console that takes nothing else to the wanted page and to another linked account', async () => {
    const { consoleAppId: id } = await world.tenant();
    await world.asAdmin('PUT', `/admin/apps/${id}`, { config: { allowed_providers: ['google'] } });
    const admin = await world.user({ id }, { email_verified: true });
    isThere(admin.email);
    const { browser } = await byGoogle({ ...app, id, redirectUri: `${world.baseUrl}/console/callback` });
    // With its own methods, where the address names it.
    const page = await browser.get(`/account/sign-in?app_id=${id}&fresh=1&to=second-factor`);
    expect(page.body).toContain(CONFIRM);
    expect(otherWays(page)).toBe('/account/sign-in?any=1&fresh=1&to=second-factor');
    const asked = await browser.startLinking('github');
    expect(asked.location).toBe('/account/sign-in?fresh=1');
    const every = await follow(browser, asked);
    expect(every.body).toContain(CONFIRM);
    const end = await browser.submit(every, { email: admin.email, password: admin.password });
    expect(end.location).toBe(`${world.baseUrl}/account`);
    const subject = nextGithubId();
    github.signInAs({ id: subject, login: 'ada', emails: [{ email: admin.email, primary: true, verified: true }] });
    const { location } = await browser.startLinking('github');
    const authorized = new URL((await fetch(location!, { redirect: 'manual' })).headers.get('location')!);
    expect((await browser.get(`${authorized.pathname}${authorized.search}`)).location).toBe('/account?done=linked');
    const links = await world.sql('SELECT subject FROM linked_accounts WHERE user_id = $1', [admin.id]);
    expect(links).toContainEqual({ subject: String(subject) });
  });

  it('confirms acts at a Console app that takes nothing else, and none on the whole account', async () => {
    const { consoleAppId: id } = await world.tenant();
    const redirectUri = `${world.baseUrl}/console/callback`;
    await world.asAdmin('PUT', `/admin/apps/${id}`, { config: { allowed_providers: ['google'] } });
    const admin = await world.user({ id }, { email_verified: true });
    isThere(admin.email);
    const only = { ...app, id, redirectUri };
    const { access_token: token } = await tokensOf((await byGoogle(only)).end, only);
    const ask = (path: string, body: object = {}) => world.call('POST', path, body, { token });
    for (const path of ['/auth/passkey/registration/options', '/account/totp/setup']) {
      const { status, body, headers } = await ask(path, { app_id: id });
      const detail = { error: 'reauthentication_required', account_url: `${world.baseUrl}/account` };
      expect([path, status, body]).toMatchObject([path, 403, { detail }]);
      // A new sign-in would be the same: no challenge asks for one.
      expect(headers.get('www-authenticate')).toBeNull();
    }
    expect((await ask(`/admin/apps/${id}/invites`, { roles: ['user'] })).status).toBe(201);
    // Once it takes the password, it can ask for it.
    await world.asAdmin('PUT', `/admin/apps/${id}`, { config: { allowed_providers: ['google', 'password'] } });
    expect((await ask(`/admin/apps/${id}/invites`, { roles: ['user'] })).status).toBe(403);
    const asked = await ask('/account/totp/setup');
    expect([asked.body, asked.headers.get('www-authenticate')]).toEqual([
      { detail: { error: 'reauthentication_required' } },
      expect.stringContaining('max_age="300"'),
    ]);
  });

  it('confirms no more at a Console once its admin also governs a tenant that takes other passkeys', async () => {
    const { consoleAppId: id } = await world.tenant();
    const at = { ...app, id, redirectUri: `${world.baseUrl}/console/callback` };
    await world.asAdmin('PUT', `/admin/apps/${id}`, { config: { allowed_providers: ['google', 'passkey'] } });
    const admin = await world.user({ id }, { email_verified: true });
    await addPasskey(world, admin, new TestAuthenticator(world.baseUrl));
    await world.sql('UPDATE users SET password_hash = NULL WHERE id = $1', [admin.id]);
    isThere(admin.email);
    const { access_token: token } = await tokensOf((await byGoogle(at)).end, at);
    const invite = async () =>
      (await world.call('POST', `/admin/apps/${id}/invites`, { roles: ['user'] }, { token })).status;
    expect(await invite()).toBe(403);
    const other = await world.app(await world.tenant({ passkey_aaguids: [SECURITY_KEY] }));
    await world.asAdmin('PUT', `/admin/users/${admin.id}/roles`, { app_id: other.id, roles: ['user', 'admin'] });
    expect(await invite()).toBe(403);
    expect((await byPage(loginPath(at, { prompt: 'login' }))).page.body).toContain(CONFIRM);
  });

  it('lets no administrator end what the app asks for, now or later', async () => {
    const admin = await member({ roles: ['user', 'admin'] });
    const governed = await appWith(['password', 'google']);
    await world.asAdmin('PUT', `/admin/users/${admin.id}/roles`, { app_id: governed.id, roles: ['user', 'admin'] });
    isThere(admin.email);
    const { access_token: token } = await tokensOf((await byGoogle(governed)).end, governed);
    const path = `/admin/apps/${governed.id}`;
    const set = async (...allowed_providers: string[]) =>
      (await world.call('PUT', path, { config: { allowed_providers } }, { token })).status;
    const effective_at = new Date(Date.now() + 3_600_000).toISOString();
    const change = { config: { allowed_providers: ['google'] } };
    const planned = await world.call('POST', `${path}/scheduled-changes`, { effective_at, change }, { token });
    expect([planned.status, planned.body]).toEqual([403, { detail: { error: 'reauthentication_required' } }]);
    expect([await set('google'), await set(), await set('google', 'password', 'github')]).toEqual([403, 403, 200]);
    expect((await world.call('POST', `${path}/regenerate-secret`, undefined, { token })).status).toBe(403);
  });

  it('is not recent for the admin API, as one with the password is', async () => {
    const admin: TestUser = await member({ roles: ['user', 'admin'] });
    const regenerate = (token: string) =>
      world.call('POST', `/admin/apps/${app.id}/regenerate-secret`, undefined, { token });
    isThere(admin.email);
    const token = (await tokensOf((await byGoogle(app)).end, app)).access_token;
    const refused = await regenerate(token);
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      403,
      expect.stringContaining('insufficient_user_authentication'),
    ]);
    const own = (await world.tokens(admin, app.id)).access_token;
    expect((await regenerate(own)).status).toBe(200);
  });
});
