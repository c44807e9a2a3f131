import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Request } from 'express';
import { KnownBrowserCookie } from '../../../src/auth/session/known-browser-cookie.js';
import { KnownBrowsers } from '../../../src/auth/session/known-browsers.service.js';
import { systemContext } from '../../../src/common/request-context.js';
import { sendForm, visitAccount } from '../../support/account-visitor.js';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type Person, type TestClient, World } from '../../support/world.js';

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

  const rows = (person: Person) =>
    world.sql<{ id: string; mark: Buffer; user_agent: string; network: string; again: boolean }>(
      `SELECT id, mark, user_agent, network, last_seen_at > first_seen_at AS again FROM known_browsers
       WHERE user_id = $1 ORDER BY first_seen_at`,
      [person.id],
    );
  const signIn = async (person: Person, browser = new HostedBrowser(world.baseUrl)) => {
    await browser.signIn(loginPath(app, { prompt: 'login' }), person.email, person.password);
    return browser;
  };
  const post = (person: Person, body: Record<string, string> = {}, headers: Record<string, string> = {}) =>
    world.call(
      'POST',
      '/auth/login',
      { email: person.email, password: person.password, app_id: app.id, ...body },
      { headers },
    );
  const visitWith = (cookie: string | undefined) => {
    const request = { cookies: cookie ? { known: cookie } : {} } as unknown as Request;
    return { ...systemContext('test'), browserMark: service.nest.get(KnownBrowserCookie).markOf(request) };
  };
  /** Whether a request with the cookie is recognised as coming from a browser of this person's. */
  const recognised = (person: Person, cookie: string | undefined) =>
    service.nest.get(KnownBrowsers).recognise(visitWith(cookie), person.id);
  const addressRecognised = (email: string, cookie: string | undefined) =>
    service.nest.get(KnownBrowsers).recogniseAddress(visitWith(cookie), email);

  it('is recognised by a cookie that outlives the session and further sign-ins', async () => {
    const person = await world.person(app);
    const browser = await signIn(person);
    const cookie = browser.cookie('known');
    expect(cookie).toMatch(/^[\w-]{43}$/);
    await signIn(person, browser);
    expect(browser.cookie('known')).toBe(cookie);
    const [row, ...more] = await rows(person);
    expect(row).toMatchObject({ again: true, network: '127.0.0.0/24' });
    expect(more).toEqual([]);
    expect(await recognised(person, cookie)).toBe(row!.id);
    expect(await addressRecognised(person.email, cookie)).toBe(row!.id);
    expect(await addressRecognised('nobody@example.com', cookie)).toBeNull();
  });

  it('is known only for the users who signed in with it', async () => {
    const [one, other, third] = [await world.person(app), await world.person(app), await world.person(app)];
    const browser = await signIn(one);
    const cookie = browser.cookie('known');
    await signIn(other, browser);
    expect(browser.cookie('known')).toBe(cookie);
    expect(await recognised(one, cookie)).not.toBeNull();
    expect(await recognised(other, cookie)).not.toBeNull();
    expect(await recognised(third, cookie)).toBeNull();
    expect(await recognised(one, undefined)).toBeNull();
    expect(await recognised(one, 'A'.repeat(43))).toBeNull();
  });

  it('is not remembered for a wrong password', async () => {
    const person = await world.person(app);
    const browser = new HostedBrowser(world.baseUrl);
    await browser.signIn(loginPath(app), person.email, 'not the password');
    expect(browser.cookie('known')).toBeUndefined();
    expect(await rows(person)).toEqual([]);
  });

  it('is forgotten when all of a user’s sessions end, and known again after the next sign-in', async () => {
    const person = await world.person(app);
    const browser = await signIn(person);
    const next = 'quite another password 7';
    await world.asAdmin('PUT', `/admin/users/${person.id}/password`, { new_password: next });
    expect(await recognised(person, browser.cookie('known'))).toBeNull();
    await signIn({ ...person, password: next }, browser);
    expect(await recognised(person, browser.cookie('known'))).not.toBeNull();
  });

  it('is forgotten after a password change in another browser until the next sign-in', async () => {
    const person = await world.person(app);
    const [here, there] = [await visitAccount(world, person), await signIn(person)];
    const next = 'quite another password 7';
    await sendForm(here, '/account/password', { current_password: person.password, new_password: next });
    expect(await recognised(person, there.cookie('known'))).toBeNull();
    expect(await recognised(person, here.cookie('known'))).not.toBeNull();
    await signIn({ ...person, password: next }, there);
    expect(await recognised(person, there.cookie('known'))).not.toBeNull();
  });

  it('is stored by a hash and a description', async () => {
    const person = await world.person(app);
    const browser = new HostedBrowser(world.baseUrl);
    const page = await browser.get(loginPath(app), FIREFOX);
    const form = { form_token: page.formToken(), email: person.email, password: person.password };
    await browser.post(page.formAction(), form, FIREFOX);
    const [row] = await rows(person);
    expect(row!.user_agent).toBe('Firefox on Windows');
    expect(row!.mark.toString()).not.toContain(browser.cookie('known')!);
    expect(row!.mark).toHaveLength(32);
  });

  it('belongs to the fifty last used', async () => {
    const person = await world.person(app);
    await world.sql(
      `INSERT INTO known_browsers (id, user_id, mark, user_agent, network, last_seen_at)
       SELECT gen_random_uuid(), $1, sha256(n::text::bytea), 'Firefox', 'unknown', now() - make_interval(hours => n)
       FROM generate_series(1, 60) n`,
      [person.id],
    );
    const browser = await signIn(person);
    expect(await rows(person)).toHaveLength(50);
    expect(await recognised(person, browser.cookie('known'))).not.toBeNull();
  });

  it('is identified by device id if an app signs in without cookies', async () => {
    const person = await world.person(app);
    for (const device of ['pixel-8', 'pixel-8', 'tab-s9']) await post(person, { device_id: device });
    expect(await rows(person)).toHaveLength(2);
  });

  it('is identified by user agent if an app without cookies names no device', async () => {
    const person = await world.person(app);
    for (const agent of ['Notes/1.0 iOS', 'Notes/2.5 iOS', 'okhttp/4.9'])
      await post(person, {}, { 'User-Agent': agent });
    expect((await rows(person)).map(({ user_agent }) => user_agent)).toEqual(['Notes', 'okhttp']);
  });
});
