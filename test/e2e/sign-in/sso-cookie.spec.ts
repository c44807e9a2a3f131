import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type TestClient, World } from '../../support/world.js';

describe('SSO cookie', () => {
  let service: TestApp;
  let world: World;
  let app: TestClient;

  beforeAll(async () => {
    service = await startTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    app = await world.app(await world.tenant());
  });

  afterAll(async () => {
    await world.close();
    await service.close();
  });

  /** The `Set-Cookie` lines of the answer to the password form. */
  const cookiesOfSignIn = async (browser: HostedBrowser, through: TestClient, email: string, password: string) => {
    const page = await browser.get(loginPath(through, { prompt: 'login' }));
    const answer = await browser.post(page.formAction(), { form_token: page.formToken(), email, password });
    return { bound: page.headers.getSetCookie(), signedIn: answer.headers.getSetCookie() };
  };

  it('is HttpOnly, SameSite=Lax, for the whole host and seven days', async () => {
    const user = await world.user(app);
    const { bound, signedIn } = await cookiesOfSignIn(
      new HostedBrowser(service.baseUrl),
      app,
      user.email,
      user.password,
    );
    expect(signedIn).toEqual([
      expect.stringMatching(/^sso=[\w-]{43}; Max-Age=604800; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/),
      expect.stringMatching(/^known=[\w-]{43}; Max-Age=34560000; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/),
      expect.stringMatching(/^last_method=password; Max-Age=15552000; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/),
    ]);
    expect(bound).toEqual([
      expect.stringMatching(/^browser=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/),
      expect.stringMatching(
        /^browser-[\da-f-]{36}=[\w-]{43}; Max-Age=3600; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/,
      ),
    ]);
  });

  it('has __Host- and Secure if the public address is https', async () => {
    const secure = await startTestApp({ settings: { baseUrl: 'https://id.example' } });
    try {
      const address = `http://127.0.0.1:${secure.settings.port}`;
      const user = await world.user(app);
      const browser = new HostedBrowser(address);
      const { bound, signedIn } = await cookiesOfSignIn(browser, app, user.email, user.password);
      expect(signedIn).toEqual([
        expect.stringMatching(
          /^__Host-sso=[\w-]{43}; Max-Age=604800; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/,
        ),
        expect.stringMatching(
          /^__Host-known=[\w-]{43}; Max-Age=34560000; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/,
        ),
        expect.stringMatching(
          /^__Host-last_method=password; Max-Age=15552000; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/,
        ),
      ]);
      expect(bound[0]).toMatch(/^__Host-browser=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
      expect(bound[1]).toMatch(
        /^__Host-browser-[\da-f-]{36}=[\w-]{43}; Max-Age=3600; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/,
      );
      expect(browser.cookie('__Host-sso')).toBeTruthy();
      const plain = new HostedBrowser(address);
      plain.setCookie('sso', browser.cookie('__Host-sso')!);
      expect((await plain.get(loginPath(app))).status).toBe(200);
    } finally {
      await secure.close();
    }
  });

  it('is stored only as a hash of its value', async () => {
    const user = await world.user(app);
    const browser = new HostedBrowser(service.baseUrl);
    await browser.signIn(loginPath(app), user.email, user.password);
    const value = browser.cookie('sso')!;
    const [row] = await world.sql<{ plain: boolean; hashed: boolean }>(
      `SELECT s::text LIKE '%' || $2 || '%' AS plain, token_hash = sha256(convert_to($2, 'UTF8')) AS hashed
       FROM sso_sessions s WHERE user_id = $1`,
      [user.id, value],
    );
    expect(row).toEqual({ plain: false, hashed: true });
  });

  it('has a new value after each sign-in, and the old value is invalid on the server', async () => {
    const user = await world.user(app);
    const browser = new HostedBrowser(service.baseUrl);
    await browser.signIn(loginPath(app), user.email, user.password);
    const old = browser.cookie('sso')!;
    await browser.signIn(loginPath(app, { prompt: 'login' }), user.email, user.password);
    expect(browser.cookie('sso')).not.toBe(old);
    const thief = new HostedBrowser(service.baseUrl);
    thief.setCookie('sso', old);
    expect((await thief.get(loginPath(app))).status).toBe(200);
    expect((await browser.get(loginPath(app))).status).toBe(302);
  });

  it('is never adopted from a planted value', async () => {
    const user = await world.user(app);
    const planted = randomBytes(32).toString('base64url');
    const browser = new HostedBrowser(service.baseUrl);
    browser.setCookie('sso', planted);
    await browser.signIn(loginPath(app), user.email, user.password);
    expect(browser.cookie('sso')).not.toBe(planted);
    const attacker = new HostedBrowser(service.baseUrl);
    attacker.setCookie('sso', planted);
    expect((await attacker.get(loginPath(app))).status).toBe(200);
  });

  it('planted by an attacker ends the attacker’s session when the victim signs in', async () => {
    const [attackerAccount, victim] = [await world.user(app), await world.user(app)];
    const attacker = new HostedBrowser(service.baseUrl);
    await attacker.signIn(loginPath(app), attackerAccount.email, attackerAccount.password);
    const browser = new HostedBrowser(service.baseUrl);
    browser.setCookie('sso', attacker.cookie('sso')!);
    await browser.signIn(loginPath(app, { prompt: 'login' }), victim.email, victim.password);
    expect(browser.cookie('sso')).not.toBe(attacker.cookie('sso'));
    expect((await attacker.get(loginPath(app))).status).toBe(200);
  });

  it('is not set by a wrong password, which keeps the existing session', async () => {
    const user = await world.user(app);
    const browser = new HostedBrowser(service.baseUrl);
    await browser.signIn(loginPath(app), user.email, user.password);
    const { signedIn } = await cookiesOfSignIn(browser, app, user.email, 'not the password');
    expect(signedIn).toEqual([]);
    expect((await browser.get(loginPath(app))).status).toBe(302);
  });

  it('is replaced by a JSON sign-in too', async () => {
    const user = await world.user(app);
    const first = await world.login(user, app.id);
    const old = /sso=([\w-]{43})/.exec(first.headers.get('set-cookie')!)![1]!;
    const second = await world.call(
      'POST',
      '/auth/login',
      { email: user.email, password: user.password, app_id: app.id },
      { headers: { Cookie: `sso=${old}` } },
    );
    expect(second.headers.get('set-cookie')).not.toContain(old);
    const thief = new HostedBrowser(service.baseUrl);
    thief.setCookie('sso', old);
    expect((await thief.get(loginPath(app))).status).toBe(200);
  });
});
