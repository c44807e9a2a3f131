import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Request } from 'express';
import { KnownBrowserCookie } from '../../../src/auth/session/known-browsers/known-browser-cookie.js';
import { KnownBrowsers } from '../../../src/auth/session/known-browsers/known-browsers.service.js';
import { systemContext } from '../../../src/common/request-context.js';
import { sendForm, visitAccount } from '../../support/account-visitor.js';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type TestUser, type TestClient, World } from '../../support/world.js';

const FIREFOX = { 'User-Agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:132.0) Gecko/20100101 Firefox/132.0' };

describe('Known browser', () => {
  let service: TestApp;
  let world: World;
  let app: TestClient;

  beforeAll(async () => {
    service = await startTestApp({ settings: { rateLimits: { enabled: false, overrides: {} } } });
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    app = await world.app(await world.tenant());
  });

  afterAll(async () => {
    await world.close();
    await service.close();
  });

  const rows = (user: TestUser) =>
    world.sql<{ id: string; mark: Buffer; user_agent: string; network: string; again: boolean }>(
      `SELECT id, mark, user_agent, network, last_seen_at > first_seen_at AS again FROM known_browsers
       WHERE user_id = $1 ORDER BY first_seen_at`,
      [user.id],
    );
  const signIn = async (user: TestUser, browser = new HostedBrowser(world.baseUrl)) => {
    await browser.signIn(loginPath(app, { prompt: 'login' }), user.email, user.password);
    return browser;
  };
  const post = (user: TestUser, body: Record<string, string> = {}, headers: Record<string, string> = {}) =>
    world.call(
      'POST',
      '/auth/login',
      { email: user.email, password: user.password, app_id: app.id, ...body },
      { headers },
    );
  const visitWith = (cookie: string | undefined) => {
    const request = { cookies: cookie ? { known: cookie } : {} } as unknown as Request;
    return { ...systemContext('test'), browserMark: service.nest.get(KnownBrowserCookie).markOf(request) };
  };
  /** Whether a request with the cookie is recognized as coming from a browser of this user's. */
  const recognized = ({ email }: Pick<TestUser, 'email'>, cookie: string | undefined) =>
    service.nest.get(KnownBrowsers).recognizeAddress(visitWith(cookie), email);

  it('is recognized by a cookie that outlives the session and further sign-ins', async () => {
    const user = await world.user(app);
    const browser = await signIn(user);
    const cookie = browser.cookie('known');
    expect(cookie).toMatch(/^[\w-]{43}$/);
    await signIn(user, browser);
    expect(browser.cookie('known')).toBe(cookie);
    const [row, ...more] = await rows(user);
    expect(row).toMatchObject({ again: true, network: '127.0.0.0/24' });
    expect(more).toEqual([]);
    expect(await recognized(user, cookie)).toBe(row!.id);
    expect(await recognized({ email: 'nobody@example.com' }, cookie)).toBeNull();
  });

  it('is known only for the users who signed in with it', async () => {
    const [one, other, third] = [await world.user(app), await world.user(app), await world.user(app)];
    const browser = await signIn(one);
    const cookie = browser.cookie('known');
    await signIn(other, browser);
    expect(browser.cookie('known')).toBe(cookie);
    expect(await recognized(one, cookie)).not.toBeNull();
    expect(await recognized(other, cookie)).not.toBeNull();
    expect(await recognized(third, cookie)).toBeNull();
    expect(await recognized(one, undefined)).toBeNull();
    expect(await recognized(one, 'A'.repeat(43))).toBeNull();
  });

  it('is not remembered for a wrong password', async () => {
    const user = await world.user(app);
    const browser = new HostedBrowser(world.baseUrl);
    await browser.signIn(loginPath(app), user.email, 'not the password');
    expect(browser.cookie('known')).toBeUndefined();
    expect(await rows(user)).toEqual([]);
  });

  it('is forgotten when all of a user’s sessions end, and known again after the next sign-in', async () => {
    const user = await world.user(app);
    const browser = await signIn(user);
    const next = 'quite another password 7';
    await world.asAdmin('PUT', `/admin/users/${user.id}/password`, { new_password: next });
    expect(await recognized(user, browser.cookie('known'))).toBeNull();
    await signIn({ ...user, password: next }, browser);
    expect(await recognized(user, browser.cookie('known'))).not.toBeNull();
  });

  it('is forgotten after a password change in another browser until the next sign-in', async () => {
    const user = await world.user(app);
    const [here, there] = [await visitAccount(world, user), await signIn(user)];
    const next = 'quite another password 7';
    await sendForm(here, '/account/password', { current_password: user.password, new_password: next });
    expect(await recognized(user, there.cookie('known'))).toBeNull();
    expect(await recognized(user, here.cookie('known'))).not.toBeNull();
    await signIn({ ...user, password: next }, there);
    expect(await recognized(user, there.cookie('known'))).not.toBeNull();
  });

  it('is stored by a hash and a description', async () => {
    const user = await world.user(app);
    const browser = new HostedBrowser(world.baseUrl);
    const page = await browser.get(loginPath(app), FIREFOX);
    const form = { form_token: page.formToken(), email: user.email, password: user.password };
    await browser.post(page.formAction(), form, FIREFOX);
    const [row] = await rows(user);
    expect(row!.user_agent).toBe('Firefox on Windows');
    expect(row!.mark.toString()).not.toContain(browser.cookie('known')!);
    expect(row!.mark).toHaveLength(32);
  });

  it('belongs to the fifty last used', async () => {
    const user = await world.user(app);
    await world.sql(
      `INSERT INTO known_browsers (id, user_id, mark, user_agent, network, last_seen_at)
       SELECT gen_random_uuid(), $1, sha256(n::text::bytea), 'Firefox', 'unknown', now() - make_interval(hours => n)
       FROM generate_series(1, 60) n`,
      [user.id],
    );
    const browser = await signIn(user);
    expect(await rows(user)).toHaveLength(50);
    expect(await recognized(user, browser.cookie('known'))).not.toBeNull();
  });

  it('is identified by device id if an app signs in without cookies', async () => {
    const user = await world.user(app);
    for (const device of ['pixel-8', 'pixel-8', 'tab-s9']) await post(user, { device_id: device });
    expect(await rows(user)).toHaveLength(2);
  });

  it('is identified by user agent if an app without cookies names no device', async () => {
    const user = await world.user(app);
    for (const agent of ['Notes/1.0 iOS', 'Notes/2.5 iOS', 'okhttp/4.9']) await post(user, {}, { 'User-Agent': agent });
    expect((await rows(user)).map(({ user_agent }) => user_agent)).toEqual(['Notes', 'okhttp']);
  });
});
