import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sendForm, visitAccount } from '../../support/account-visitor.js';
import { codeAt } from '../../support/authenticator.js';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { readJwt } from '../../support/jwt-parts.js';
import {
  addPasskey,
  passkeySettings,
  sendPasskey,
  SignInPage,
  TestAuthenticator,
  type Traits,
} from '../../support/passkeys.js';
import { enroll, sessionsAndTokens } from '../../support/second-factor.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type TestUser, type TestClient, type TestTenant, type Tokens, World } from '../../support/world.js';

const MULTI_FACTOR = 'http://schemas.openid.net/pape/policies/2007/06/multi-factor';
const ENROLL = `INSERT INTO enrollments (user_id, app_id, roles, status) VALUES ($1, $2, '{user}', 'active')`;
const OTHER_MODEL = '2fc0579f-8113-47ea-b116-bb5a8db9202a';
const PASSWORD_FIRST = 'Sign in with your password first, then use your passkey';
const TOUCH: Traits = { isSynced: false, isVerified: false };

describe('Passkeys as a second factor', () => {
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;
  let demanding: TestClient;

  beforeAll(async () => {
    service = await startTestApp({ settings: await passkeySettings() });
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    tenant = await world.tenant();
    app = await world.app(tenant);
    const config = { allowed_providers: ['password', 'passkey'], require_2fa: true };
    demanding = await world.app(tenant, { config });
  });

  afterAll(async () => {
    await world.close();
    await service.close();
  });

  const withPasskey = async (traits: Traits = TOUCH, at = demanding) => {
    const user = await world.user(at);
    const device = new TestAuthenticator(world.baseUrl, traits);
    const account = await addPasskey(world, user, device);
    return { user, device, account };
  };
  /** The page that asks for the second factor, after the password. */
  const afterPassword = async (user: TestUser, at: TestClient) => {
    const browser = new HostedBrowser(world.baseUrl);
    const page = await browser.signIn(loginPath(at), user.email, user.password);
    const path = /\/sign-in\/[0-9a-f-]{36}/.exec(page.body)![0];
    return SignInPage.open(browser, path);
  };
  const marksOf = async (user: TestUser): Promise<Record<string, number>> => {
    const [row] = await world.sql<{ browsers: number }>(
      'SELECT count(*)::int AS browsers FROM known_browsers WHERE user_id = $1',
      [user.id],
    );
    return { ...(await sessionsAndTokens(world, user)), ...row! };
  };
  const amrOf = async (at: TestClient, code: string) => {
    const { body } = await world.call<Tokens>('POST', '/token/exchange', { code, app_id: at.id });
    return readJwt(body.access_token).payload['amr'];
  };

  it('are asked for after the password where the app demands two factors, and no code is', async () => {
    const { user, device } = await withPasskey();
    const page = await afterPassword(user, demanding);
    expect(page.page.body).toContain('Confirm with your passkey');
    expect(page.page.body).not.toContain('id="code"');
    const options = await page.options('second_factor');
    expect(options.allowCredentials).toHaveLength(1);
    const end = await page.use(device, 'second_factor');
    expect(end.location).toMatch(`${demanding.redirectUri}?code=`);
    expect(await amrOf(demanding, end.delivered.get('code')!)).toEqual(['pwd', 'hwk', 'user', 'mfa']);
  });

  // security 17
  it.each(['the app', 'the account page'])(
    'come before the session, its cookie and the browser that is known from then on, at %s',
    async (place) => {
      const { user, device } = await withPasskey();
      const before = await marksOf(user);
      const path = place === 'the app' ? loginPath(demanding) : '/account/sign-in';
      const browser = new HostedBrowser(world.baseUrl);
      const asked = await browser.signIn(path, user.email, user.password);
      expect(asked.body).toContain('Confirm with your passkey');
      const attempt = asked.formAction().replace(/\/[a-z_]+$/, '');
      for (const step of ['', '/passkey_recovery', '/join', '/finish']) await browser.get(attempt + step);
      expect(browser.cookie('sso')).toBeUndefined();
      expect(await marksOf(user)).toEqual(before);
      const page = await SignInPage.open(browser, attempt);
      expect((await page.use(device, 'second_factor')).location).not.toContain('/sign-in');
      expect(browser.cookie('sso')).toBeDefined();
      expect(await marksOf(user)).toMatchObject({
        sessions: before['sessions']! + 1,
        browsers: before['browsers']! + 1,
      });
    },
  );

  it('are not asked for by other apps, where the session begins without them, once, and holds for the next app', async () => {
    const { user } = await withPasskey();
    const next = await world.app(tenant);
    for (const { id } of [app, next]) await world.sql(ENROLL, [user.id, id]);
    const before = await marksOf(user);
    const browser = new HostedBrowser(world.baseUrl);
    const end = await browser.signIn(loginPath(app), user.email, user.password);
    expect(end.location).toMatch(`${app.redirectUri}?code=`);
    expect(browser.cookie('sso')).toBeDefined();
    expect(await marksOf(user)).toMatchObject({ sessions: before['sessions']! + 1, browsers: before['browsers']! + 1 });
    expect((await browser.get(loginPath(next, { prompt: 'none' }))).location).toMatch(`${next.redirectUri}?code=`);
    const asked = await browser.get(loginPath(demanding));
    expect(asked.body).toContain('Confirm with your passkey');
  });

  it('are a wish of an app that asks for them by acr_values: the session begins when the user goes on without', async () => {
    const { user } = await withPasskey(TOUCH, app);
    const browser = new HostedBrowser(world.baseUrl);
    const page = await browser.signIn(loginPath(app, { acr_values: MULTI_FACTOR }), user.email, user.password);
    expect(page.body).toContain('Confirm with your passkey');
    expect(browser.cookie('sso')).toBeUndefined();
    const attempt = /\/sign-in\/[0-9a-f-]{36}/.exec(page.body)![0];
    await browser.post(`${attempt}/second_factor`, { form_token: page.formToken(), skip: '1' });
    const end = await browser.get(attempt);
    expect(end.location).toMatch(`${app.redirectUri}?code=`);
    expect(browser.cookie('sso')).toBeDefined();
  });

  it('of someone who comes back to the page long after the password: it is asked for again, and nothing has begun', async () => {
    const { user } = await withPasskey(TOUCH, app);
    const before = await marksOf(user);
    const browser = new HostedBrowser(world.baseUrl);
    const first = await browser.get(loginPath(app));
    const fields = { form_token: first.formToken(), email: user.email, password: user.password };
    const { location } = await browser.post(first.formAction(), fields);
    const aged = "UPDATE sign_in_attempts SET auth_time = auth_time - interval '6 minutes' WHERE user_id = $1";
    await world.sql(aged, [user.id]);
    const page = await browser.get(location!);
    expect(page.body).toContain('type="password"');
    expect(browser.cookie('sso')).toBeUndefined();
    expect(await marksOf(user)).toEqual(before);
    expect((await browser.submit(page, { email: user.email, password: user.password })).location).toMatch(/code=/);
  });

  it('leave two pages of one sign-in with one session', async () => {
    const { user } = await withPasskey(TOUCH, app);
    const before = await marksOf(user);
    const browser = new HostedBrowser(world.baseUrl);
    const first = await browser.get(loginPath(app, { prompt: 'consent' }));
    const fields = { form_token: first.formToken(), email: user.email, password: user.password };
    const { location } = await browser.post(first.formAction(), fields);
    const pages = await Promise.all([1, 2, 3, 4].map(() => browser.get(location!)));
    expect(pages.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await marksOf(user)).toMatchObject({ sessions: before['sessions']! + 1 });
    expect(browser.cookie('sso')).toBeDefined();
  });

  it('are offered beside the code of an authenticator app, which still works', async () => {
    const { user, device } = await withPasskey(TOUCH, app);
    const { secret } = await enroll(world, user, app.id);
    const page = await afterPassword(user, app);
    expect(page.page.body).toContain('id="code"');
    expect((await page.use(device, 'second_factor')).location).toMatch(/code=/);
    const other = await afterPassword(user, app);
    const answer = await other.browser.submit(other.page, { code: codeAt(secret) });
    expect(answer.location).toMatch(/code=/);
  });

  it('of another user, of another sign-in or removed meanwhile open nothing', async () => {
    const [one, other] = [await withPasskey(), await withPasskey()];
    const page = await afterPassword(one.user, demanding);
    const theirs = await afterPassword(other.user, demanding);
    const foreign = other.device.get(await theirs.options('second_factor'));
    expect((await page.send(foreign, 'second_factor')).status).toBe(401);
    const { challenge } = await page.options('second_factor');
    const mixed = other.device.get({ ...(await theirs.options('second_factor')), challenge });
    expect((await page.send(mixed, 'second_factor')).status).toBe(401);
    const first = one.device.get({
      ...(await page.options('second_factor')),
      challenge: (await page.options('second_factor')).challenge,
    });
    await world.sql('DELETE FROM passkeys WHERE user_id = $1', [one.user.id]);
    expect((await page.send(first, 'second_factor')).location).toBe(page.path);
    expect((await page.browser.get(page.path)).body).toContain('class="qr"');
  });

  it('are no second factor beside themselves', async () => {
    const { user, device } = await withPasskey(TOUCH);
    const page = await SignInPage.open(new HostedBrowser(world.baseUrl), loginPath(demanding));
    const asked = await page.use(device);
    expect(asked.body).not.toContain('class="qr"');
    expect(asked.body).toContain(PASSWORD_FIRST);
    const { email, password } = user;
    expect((await page.browser.submit(asked, { email, password })).body).toContain('Confirm with your passkey');
    const end = await page.use(device, 'second_factor');
    expect(await amrOf(demanding, end.delivered.get('code')!)).toEqual(['pwd', 'hwk', 'user', 'mfa']);
    await enroll(world, user, app.id).catch(() => null);
    await world.sql('UPDATE users SET totp_enabled_at = now() WHERE id = $1', [user.id]);
    const again = await SignInPage.open(new HostedBrowser(world.baseUrl), loginPath(demanding));
    expect((await again.use(device)).body).not.toContain('data-passkey-get');
    const options = await again.browser.post(`${again.path}/second_factor/options`, {
      form_token: again.page.formToken(),
    });
    expect(options.status).toBe(400);
  });

  it('set up a second factor alone, after a touch, only for users who have nothing else to show', async () => {
    const allowing = (...allowed_providers: string[]) =>
      world.app(tenant, { config: { allowed_providers, require_2fa: true } });
    const { user, device } = await withPasskey();
    const touchedAt = async (at: TestClient) => {
      await world.sql(`${ENROLL} ON CONFLICT DO NOTHING`, [user.id, at.id]);
      const page = await SignInPage.open(new HostedBrowser(world.baseUrl), loginPath(at));
      return { browser: page.browser, page: await page.use(device) };
    };
    const keysOnly = await allowing('passkey');
    const { browser, page } = await touchedAt(keysOnly);
    expect(page.body).toContain('Sign in to your account another way');
    expect(page.body).not.toContain('class="qr"');
    const [, elsewhere] = /href="(\/account\/sign-in[^"]*)"/.exec(page.body)!;
    const asked = await browser.signIn(elsewhere!.replaceAll('&amp;', '&'), user.email, user.password);
    const second = await SignInPage.open(browser, /\/sign-in\/[0-9a-f-]{36}/.exec(asked.body)![0]);
    expect((await second.use(device, 'second_factor')).location).toBe(`${world.baseUrl}/account`);
    expect((await browser.get(loginPath(keysOnly))).location).toMatch(/code=/);

    await world.sql('UPDATE users SET password_hash = NULL WHERE id = $1', [user.id]);
    const mailing = await allowing('passkey', 'magic_link');
    expect((await touchedAt(mailing)).page.body).toContain(
      'Sign in with a link by e-mail first, then use your passkey',
    );
    expect((await touchedAt(keysOnly)).page.body).toContain('class="qr"');
  });

  it('set up no second factor alone, after a touch, for an essential acr', async () => {
    const at = await world.app(tenant, { config: { allowed_providers: ['password', 'passkey'] } });
    const { user, device } = await withPasskey(TOUCH, at);
    const claims = JSON.stringify({ id_token: { acr: { essential: true, values: [MULTI_FACTOR] } } });
    const page = await SignInPage.open(
      new HostedBrowser(world.baseUrl),
      loginPath(at, { scope: 'openid', claims, response_type: 'code' }),
    );
    const asked = await page.use(device);
    expect(asked.body).not.toContain('class="qr"');
    expect(asked.body).toContain(PASSWORD_FIRST);
    const { email, password } = user;
    expect((await page.browser.submit(asked, { email, password })).body).toContain('Confirm with your passkey');
    expect((await page.use(device, 'second_factor')).location).toMatch(/code=/);
  });

  it('are too little after a touch on the account page, too, which says how to go on', async () => {
    const { user, device } = await withPasskey();
    const page = await SignInPage.open(new HostedBrowser(world.baseUrl), '/account/sign-in?any=1');
    const asked = await page.use(device);
    expect(asked.body).toContain('Sign in with your password or a link by e-mail first, then use your passkey');
    const { email, password } = user;
    expect((await page.browser.submit(asked, { email, password })).body).toContain('Confirm with your passkey');
    expect((await page.use(device, 'second_factor')).location).toBe(`${world.baseUrl}/account`);
  });

  it('are no second factor beside themselves, whichever models the app of the sign-in to the account accepts', async () => {
    const { user, device } = await withPasskey();
    const config = { allowed_providers: ['password', 'passkey'] };
    const strict = await world.app(await world.tenant({ passkey_aaguids: [OTHER_MODEL] }), { config });
    const before = await marksOf(user);
    const thief = new HostedBrowser(world.baseUrl);
    const page = await SignInPage.open(thief, `/account/sign-in?app_id=${strict.id}`);
    expect((await page.use(device)).body).not.toContain('/second_factor/options');
    const options = await thief.post(`${page.path}/second_factor/options`, { form_token: page.page.formToken() });
    expect(options.status).toBe(400);
    expect((await thief.get('/account')).location).toBe('/account/sign-in');
    expect(await marksOf(user)).toEqual(before);
  });

  it('are no second factor after a touch, with a challenge from before it', async () => {
    const { user, device } = await withPasskey(TOUCH, app);
    const { secret } = await enroll(world, user, app.id);
    const config = { allowed_providers: ['password', 'passkey'] };
    const both = await world.app(tenant, { config });
    await world.sql(ENROLL, [user.id, both.id]);
    const page = await afterPassword(user, both);
    const options = await page.options('second_factor');
    await page.browser.post(`${page.path}/other-account`, { form_token: page.page.formToken() });
    const touched = await page.use(device);
    expect(touched.body).toContain('id="code"');
    expect((await page.send(device.get(options), 'second_factor')).status).toBe(401);
    expect((await page.browser.submit(touched, { code: codeAt(secret) })).location).toMatch(/code=/);
  });

  it('keep a stolen password from the account page, where an app demands two factors of the user', async () => {
    const { user, device } = await withPasskey();
    const thief = new HostedBrowser(world.baseUrl);
    const page = await thief.signIn('/account/sign-in', user.email, user.password);
    expect(page.body).toContain('Confirm with your passkey');
    expect((await thief.get('/account')).location).toBe('/account/sign-in');
    expect((await thief.get('/account/passkeys/new')).location).toMatch('/account/sign-in');
    const login = await world.login(user, demanding.id);
    expect([login.status, login.body.detail]).toEqual([403, { error: '2fa_required' }]);
    const owner = await SignInPage.open(thief, /\/sign-in\/[0-9a-f-]{36}/.exec(page.body)![0]);
    expect((await owner.use(device, 'second_factor')).location).toBe(`${world.baseUrl}/account`);
    expect((await thief.get('/account')).status).toBe(200);
  });

  it.each(['suspended', 'pending'])(
    'keep a stolen password from the account page of a member who is %s',
    async (status) => {
      const { user } = await withPasskey();
      await world.sql('UPDATE enrollments SET status = $2 WHERE user_id = $1', [user.id, status]);
      const thief = new HostedBrowser(world.baseUrl);
      const page = await thief.signIn('/account/sign-in?any=1', user.email, user.password);
      expect(page.body).toContain('Confirm with your passkey');
      expect((await thief.get('/account')).location).toBe('/account/sign-in');
    },
  );

  it('keep a stolen password from the account page of a member of an app that takes nothing but passkeys', async () => {
    const { user, device } = await withPasskey(TOUCH, app);
    const at = await world.app(tenant, { config: { allowed_providers: ['passkey'] } });
    await world.sql(ENROLL, [user.id, at.id]);
    const thief = new HostedBrowser(world.baseUrl);
    const page = await thief.signIn('/account/sign-in?any=1', user.email, user.password);
    expect(page.body).toContain('Confirm with your passkey');
    expect((await thief.get('/account')).location).toBe('/account/sign-in');
    const owner = await SignInPage.open(thief, /\/sign-in\/[0-9a-f-]{36}/.exec(page.body)![0]);
    expect((await owner.use(device, 'second_factor')).location).toBe(`${world.baseUrl}/account`);
  });

  it('are not asked for on the account page of users of whom no app demands two factors', async () => {
    const { user } = await withPasskey(TOUCH, app);
    expect((await (await visitAccount(world, user)).get('/account')).status).toBe(200);
  });

  it('count for the session in which they were made, where the owner was verified', async () => {
    const { account } = await withPasskey({ isSynced: true });
    expect((await account.get('/account')).status).toBe(200);
    const touched = await withPasskey(TOUCH);
    expect((await touched.account.get('/account')).location).toBe('/account/sign-in');
  });

  it('let administrators in who need two factors, and only while there is one', async () => {
    const { user, device, account } = await withPasskey({ isSynced: true }, app);
    await world.sql('UPDATE tenants SET require_2fa = true WHERE id = $1', [app.tenantId]);
    const page = await SignInPage.open(new HostedBrowser(world.baseUrl), '/account/sign-in?any=1');
    expect((await page.use(device)).location).toBe(`${world.baseUrl}/account`);
    const [row] = await world.sql<{ id: string }>('SELECT id FROM passkeys WHERE user_id = $1', [user.id]);
    const removed = await sendForm(account, `/account/passkeys/${row!.id}/remove`);
    expect(removed.location).toBe('/account?done=passkey-removed');
    expect((await sendPasskey(account, '{}')).status).toBe(400);
    await world.sql('UPDATE tenants SET require_2fa = false WHERE id = $1', [app.tenantId]);
  });
});
