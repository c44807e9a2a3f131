import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { openBrowser } from '../support/chromium.js';
import { loginPath } from '../support/hosted-page.js';
import { startListeningApp } from '../support/listening-app.js';
import { sharedTestApp, type SharedTestApp } from '../support/test-app.js';
import { World } from '../support/world.js';

/** How the authorization response reaches the app from the hosted pages, in Chromium. */
describe('Hosted sign-in beyond a redirect in one window', () => {
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

  it.each([true, false])(
    'posts a code to the app with response_mode=form_post, with scripts: %p',
    async (javaScriptEnabled) => {
      const target = await startListeningApp();
      try {
        const { redirectUri } = target;
        const tenant = await world.tenant();
        const app = { ...(await world.app(tenant, { config: { redirect_uris: [redirectUri] } })), redirectUri };
        const user = await world.user(app);
        const page = await (await browser.newContext({ javaScriptEnabled })).newPage();
        await page.goto(`${service.baseUrl}${loginPath(app, { response_mode: 'form_post', state: 'a&b' })}`);
        await page.fill('#email', user.email);
        await page.fill('#password', user.password);
        await page.click('button.wide');
        if (!javaScriptEnabled) await page.click('button:has-text("Continue")');
        await page.waitForURL(redirectUri);
        expect(target.calls.filter((path) => path !== '/favicon.ico')).toEqual(['/callback']);
        const told = new URLSearchParams(target.bodies.join(''));
        expect([...told.keys(), told.get('state')]).toEqual(['code', 'state', 'a&b']);
      } finally {
        await target.close();
      }
    },
  );

  it('posts a code to an app whose callback redirects to another origin', async () => {
    const front = await startListeningApp();
    const back = await startListeningApp(`${front.origin.replace('127.0.0.1', 'localhost')}/home`);
    try {
      const { redirectUri } = back;
      const tenant = await world.tenant();
      const app = { ...(await world.app(tenant, { config: { redirect_uris: [redirectUri] } })), redirectUri };
      const user = await world.user(app);
      const page = await (await browser.newContext()).newPage();
      await page.goto(`${service.baseUrl}${loginPath(app, { response_mode: 'form_post' })}`);
      await page.fill('#email', user.email);
      await page.fill('#password', user.password);
      await page.click('button.wide');
      await page.waitForURL(/^http:\/\/localhost:\d+\/home$/);
      expect(back.bodies.join('')).toMatch(/^code=/);
    } finally {
      await Promise.all([front.close(), back.close()]);
    }
  });

  it('keeps the opener of a popup from the sign-in page to the app’s callback', async () => {
    const target = await startListeningApp();
    try {
      const { redirectUri, origin } = target;
      const tenant = await world.tenant();
      const app = { ...(await world.app(tenant, { config: { redirect_uris: [redirectUri] } })), redirectUri };
      const user = await world.user(app);
      const page = await browser.newPage();
      await page.goto(origin);
      const opened = page.waitForEvent('popup');
      await page.evaluate(
        `void (window.popup = window.open(${JSON.stringify(`${service.baseUrl}${loginPath(app)}`)}))`,
      );
      const popup = await opened;
      await popup.waitForSelector('#email');
      expect(await page.evaluate('window.popup.closed')).toBe(false);
      await popup.fill('#email', user.email);
      await popup.fill('#password', user.password);
      await popup.click('button.wide');
      await popup.waitForURL(/\/callback\?code=/);
      expect(await popup.evaluate('window.opener !== null')).toBe(true);
    } finally {
      await target.close();
    }
  });
});
