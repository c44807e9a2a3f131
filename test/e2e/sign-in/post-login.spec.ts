import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { type TestClient, World } from '../../support/world.js';

/** A form on the app's own site: browsers leave our Lax cookies out, so the test does not send them either. */
const CROSS_SITE = { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://shop.example' };

describe('POST /login', () => {
  let service: SharedTestApp;
  let world: World;
  let app: TestClient;

  beforeAll(async () => {
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    app = await world.app(await world.tenant());
  });

  afterAll(() => world.close());

  const request = () => ({ app_id: app.id, redirect_uri: app.redirectUri, state: 'a b&c+d' });

  it('shows the same page as GET', async () => {
    const user = await world.user(app);
    const browser = new HostedBrowser(service.baseUrl);
    const page = await browser.post('/login', request());
    expect(page.status).toBe(200);
    const sent = await browser.submit(page, { email: user.email, password: user.password });
    expect(sent.delivered.get('state')).toBe('a b&c+d');
  });

  it('from another site is repeated as a GET, so that the browser’s session counts', async () => {
    const user = await world.user(app);
    const browser = new HostedBrowser(service.baseUrl);
    await browser.signIn(loginPath(app), user.email, user.password);
    const bound = browser.cookie('browser');
    const answer = await new HostedBrowser(service.baseUrl).post('/login', request(), CROSS_SITE);
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([303, null]);
    const sent = await browser.get(answer.location!);
    expect(sent.delivered.get('state')).toBe('a b&c+d');
    expect(sent.delivered.get('code')).toBeTruthy();
    expect(browser.cookie('browser')).toBe(bound);
  });

  it('never accepts credentials or puts them into a URL', async () => {
    const user = await world.user(app);
    const form = { ...request(), email: user.email, password: user.password, form_token: 'x' };
    for (const headers of [{}, CROSS_SITE]) {
      const answer = await new HostedBrowser(service.baseUrl).post('/login', form, headers);
      expect(answer.headers.getSetCookie().filter((line) => line.startsWith('sso='))).toEqual([]);
      expect(answer.location ?? '').not.toMatch(/password|email|correct/);
      expect(answer.body).not.toContain(user.email);
    }
  });

  it('keeps a repeated parameter repeated', async () => {
    const response = await fetch(`${service.baseUrl}/login`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...CROSS_SITE },
      body: `app_id=${app.id}&redirect_uri=${encodeURIComponent(app.redirectUri)}&redirect_uri=https://evil.example/`,
    });
    const page = await new HostedBrowser(service.baseUrl).get(response.headers.get('location')!);
    expect([response.status, page.status, page.location]).toEqual([303, 400, null]);
  });

  it('leads only to our own /login for every form', async () => {
    const answer = await new HostedBrowser(service.baseUrl).post(
      '/login',
      { app_id: '//evil.example', redirect_uri: 'https://evil.example/' },
      CROSS_SITE,
    );
    expect(answer.location).toMatch(/^\/login\?/);
    expect((await new HostedBrowser(service.baseUrl).get(answer.location!)).status).toBe(400);
  });
});
