import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { codeAt } from '../../support/authenticator.js';
import { visitConsole } from '../../support/console-visitor.js';
import { type HostedAnswer, HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { type MailingService, startMailingService } from '../../support/mailing-service.js';
import { signUpUser } from '../../support/new-user.js';
import { enroll, type Enrolled, sessionsAndTokens, totpSession, verify } from '../../support/second-factor.js';
import { linkIn } from '../../support/smtp.js';
import { type TestUser, type TestClient, type TestTenant, type Tokens, type World } from '../../support/world.js';

const ASKED = 'six digits';

// security 17
describe('Second factor is required', () => {
  let mailing: MailingService;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;
  let ada: { user: TestUser } & Enrolled;
  let browser: HostedBrowser;
  /** A browser in which Ada signed in before she set up her second factor. */
  let old: HostedBrowser;
  let before: Record<string, number>;

  beforeAll(async () => {
    mailing = await startMailingService();
    ({ world } = mailing);
    tenant = await world.tenant();
    app = await world.app(tenant, {
      config: { redirect_uris: ['https://app.example/callback', 'com.example.app:/done'] },
    });
    app = { ...app, redirectUri: 'https://app.example/callback' };
  });

  afterAll(() => mailing.close());

  beforeEach(async () => {
    const user = await world.user(app);
    old = new HostedBrowser(world.baseUrl);
    await old.signIn(loginPath(app), user.email, user.password);
    ada = { user, ...(await enroll(world, user, app.id)) };
    browser = new HostedBrowser(world.baseUrl);
    before = await sessionsAndTokens(world, user);
  });

  const now = () => codeAt(ada.secret);
  const signIn = (path: string) => browser.signIn(path, ada.user.email, ada.user.password);

  async function expectAsked(answer: HostedAnswer, at = browser): Promise<void> {
    expect([answer.status, answer.location]).toEqual([200, null]);
    expect(answer.body).toContain(ASKED);
    if (at !== old) expect(at.cookie('sso')).toBeUndefined();
    expect(await sessionsAndTokens(world, ada.user)).toEqual(before);
  }

  /** Follows our own redirects after a mailed link. */
  async function follow(answer: HostedAnswer, at = browser): Promise<HostedAnswer> {
    let here = answer;
    for (let hops = 0; here.location?.startsWith('/') && hops < 5; hops++) here = await at.get(here.location);
    return here;
  }

  it('after the password over JSON, before any token, cookie or database row exists', async () => {
    const answer = await world.login(ada.user, app.id, { device_id: 'phone' });
    expect([answer.status, answer.body]).toEqual([200, { status: 'totp_required', totp_session: expect.any(String) }]);
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect(await sessionsAndTokens(world, ada.user)).toEqual(before);
  });

  it('without disclosing it to users with a wrong password', async () => {
    const answer = await world.login({ ...ada.user, password: 'wrong' }, app.id);
    expect([answer.status, answer.body]).toEqual([401, { detail: 'Invalid email or password' }]);
  });

  it('after the password on the hosted page, whatever page follows', async () => {
    const page = await signIn(loginPath(app));
    await expectAsked(page);
    const attempt = page.formAction().replace(/\/second_factor$/, '');
    await expectAsked(await browser.get(attempt));
    for (const step of ['second_factor', 'join', 'finish', 'magic_link', 'sign_up', 'second_factor_setup'])
      await expectAsked(await browser.get(`${attempt}/${step}`));
    for (const step of ['join', 'second_factor_setup', 'sign_up', 'magic_link', 'forgot', 'no_access'])
      await expectAsked(await follow(await browser.post(`${attempt}/${step}`, { form_token: page.formToken() })));
    const done = await browser.submit(page, { code: now() });
    expect(done.delivered.get('code')).not.toBeNull();
    expect(browser.cookie('sso')).toBeDefined();
    const tokens = await world.call('POST', '/token/exchange', { code: done.delivered.get('code'), app_id: app.id });
    expect(tokens.status).toBe(200);
    const [row] = await world.sql('SELECT amr FROM refresh_families WHERE user_id = $1 ORDER BY created_at DESC', [
      ada.user.id,
    ]);
    expect(row).toEqual({ amr: ['pwd', 'otp', 'mfa'] });
  });

  it('before a native app receives tokens', async () => {
    const page = await signIn(loginPath({ id: app.id, redirectUri: 'com.example.app:/done' }));
    await expectAsked(page);
    const done = await browser.submit(page, { code: now() });
    expect(done.location).toMatch(/^com\.example\.app:\/done\?access_token=/);
  });

  it('after a magic link', async () => {
    await world.call('POST', '/auth/magic-link/request', { email: ada.user.email, app_id: app.id });
    const link = linkIn(await mailing.smtp.next(ada.user.email, 'Your sign-in link'));
    const page = await follow(await browser.useMagicLink(link.token));
    await expectAsked(page);
    const done = await browser.submit(page, { code: now() });
    expect(done.delivered.get('code')).not.toBeNull();
  });

  it('after a password reset, over JSON and on the page', async () => {
    await world.call('POST', '/auth/forgot-password', { email: ada.user.email, app_id: app.id });
    const { token } = linkIn(await mailing.smtp.next(ada.user.email, /password/i));
    const password = 'another long pass phrase';
    expect((await world.call('POST', '/auth/reset-password', { token, password })).status).toBe(200);
    ada = { ...ada, user: { ...ada.user, password } };
    before = await sessionsAndTokens(world, ada.user);
    expect((await world.login(ada.user, app.id)).body).toMatchObject({ status: 'totp_required' });
    await expectAsked(await signIn(loginPath(app)));
  });

  it('in a browser that signed in before the set-up', async () => {
    const cookie = old.cookie('sso');
    const page = await old.get(loginPath(app));
    await expectAsked(page, old);
    const done = await old.submit(page, { code: now() });
    expect(done.delivered.get('code')).not.toBeNull();
    expect(old.cookie('sso')).not.toBe(cookie);
    const stale = new HostedBrowser(world.baseUrl);
    stale.setCookie('sso', cookie!);
    expect((await stale.get(loginPath(app, { prompt: 'none' }))).delivered.get('error')).toBe('login_required');
    expect((await old.get(loginPath(app))).delivered.get('code')).not.toBeNull();
  });

  it('with prompt=none, which returns login_required and nothing else', async () => {
    const answer = await old.get(loginPath(app, { prompt: 'none', state: 's' }));
    expect(Object.fromEntries(answer.delivered)).toEqual({ error: 'login_required', state: 's' });
    expect(await sessionsAndTokens(world, ada.user)).toEqual(before);
  });

  it('with prompt=login after the password', async () => {
    const page = await old.get(loginPath(app, { prompt: 'login' }));
    expect(page.body).toContain('type="password"');
    await expectAsked(await old.submit(page, { email: ada.user.email, password: ada.user.password }), old);
  });

  it('before the account page, and account endpoints reject the old session', async () => {
    await expectAsked(await signIn('/account/sign-in'));
    const page = await old.get('/account/sign-in');
    await expectAsked(page, old);
    const headers = { Cookie: `sso=${old.cookie('sso')}` };
    for (const path of [
      '/account/totp/disable',
      '/account/backup-codes',
      '/account/totp/confirm',
      '/account/totp/setup',
    ])
      expect((await world.call('POST', path, { code: now() }, { headers })).status).toBe(401);
    const done = await old.submit(page, { code: now() });
    expect(done.location).toBe(`${world.baseUrl}/account`);
  });

  it('before users learn that they are not members of the app', async () => {
    const closed = await world.app(tenant);
    await expectAsked(await signIn(loginPath(closed)));
    expect((await world.login(ada.user, closed.id)).body).toMatchObject({ status: 'totp_required' });
    const open = await world.app(tenant, { registration_policy: 'open' });
    const page = await signIn(loginPath(open));
    await expectAsked(page);
    expect((await browser.submit(page, { code: now() })).body).toContain('Join');
  });

  it('before the Console opens, also for an administrator’s session from before the set-up', async () => {
    const admin = await world.tenantAdmin(tenant);
    const working = await visitConsole(world, admin);
    expect((await working.get('/console/')).status).toBe(200);
    const factor = await enroll(world, admin, tenant.consoleAppId);
    expect((await working.get('/console/')).location).toBe('/console/login');
    const shut = await working.get('/console/login');
    expect([shut.status, shut.location]).toEqual([302, expect.stringMatching(/^\/login\?/)]);
    const page = await working.get(shut.location!);
    expect(page.body).toContain(ASKED);
    const done = await working.submit(page, { code: codeAt(factor.secret) });
    await working.get(done.location!.replace(world.baseUrl, ''));
    expect((await working.get('/console/')).status).toBe(200);
  });

  it('before the admin API accepts a token: one from before the set-up has no administrator rights', async () => {
    const admin = await world.user(app);
    await world.asAdmin('PUT', `/admin/users/${admin.id}/roles`, { app_id: app.id, roles: ['admin'] });
    const before = await world.tokens(admin, app.id);
    const read = async (token: string) => (await world.call('GET', '/admin/apps', undefined, { token })).status;
    expect(await read(before.access_token)).toBe(200);
    const factor = await enroll(world, admin, app.id);
    const { body } = await world.call<Tokens>('POST', '/token/refresh', { ...before, app_id: app.id });
    expect([await read(before.access_token), await read(body.access_token)]).toEqual([403, 403]);
    const verified = await verify(world, await totpSession(world, admin, app.id), codeAt(factor.secret));
    expect(await read(verified.body.access_token)).toBe(200);
  });

  it('and HEAD requests to any sign-in URL complete nothing', async () => {
    const page = await signIn(loginPath(app));
    const attempt = page.formAction().replace(/\/second_factor$/, '');
    await browser.post(page.formAction(), { form_token: page.formToken(), code: now() });
    const codes = (await sessionsAndTokens(world, ada.user))['codes'];
    const Cookie = `browser=${browser.cookie('browser')}; sso=${browser.cookie('sso')}`;
    for (const path of [attempt, `${attempt}/second_factor`])
      expect((await world.call('HEAD', path, undefined, { headers: { Cookie } })).status).toBe(204);
    expect((await sessionsAndTokens(world, ada.user))['codes']).toBe(codes);
  });

  // security 28
  it('except after the first mailbox proof, which removes factors set up on an unproven address', async () => {
    const open = await world.app(tenant, { registration_policy: 'open' });
    const squatted = await signUpUser(world, open);
    const factor = await enroll(world, squatted, open.id);
    await world.call('POST', '/auth/magic-link/request', { email: squatted.email, app_id: open.id });
    const link = linkIn(await mailing.smtp.next(squatted.email, 'Your sign-in link'));
    const end = await follow(await browser.useMagicLink(link.token));
    expect(end.delivered.get('code')).not.toBeNull();
    const [user] = await world.sql('SELECT totp_enabled_at, password_hash FROM users WHERE id = $1', [squatted.id]);
    expect(user).toEqual({ totp_enabled_at: null, password_hash: null });
    for (const table of ['second_factors', 'backup_codes'])
      expect(await world.sql(`SELECT 1 FROM ${table} WHERE user_id = $1`, [squatted.id])).toEqual([]);
    const [entry] = await world.sql<{ metadata: { dropped: string[] } }>(
      `SELECT metadata FROM audit_entries WHERE user_id = $1 AND action = 'user.email_verified'`,
      [squatted.id],
    );
    expect(entry!.metadata.dropped).toEqual(['sessions', 'password', 'second_factor']);
    expect(factor.secret).toBeTruthy();
  });
});
