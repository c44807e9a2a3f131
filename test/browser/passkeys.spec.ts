import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from '../support/chromium.js';
import { expectGoodLooks } from '../support/looks.js';
import { passkeySettings } from '../support/passkeys.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { VirtualAuthenticator } from '../support/virtual-authenticator.js';
import { type Person, type TestClient, World } from '../support/world.js';

describe('Passkeys in a browser', () => {
  let service: TestApp;
  let world: World;
  let browser: Browser;
  let app: TestClient;
  let page: Page;
  let device: VirtualAuthenticator;

  beforeAll(async () => {
    [service, browser] = await Promise.all([startTestApp({ settings: await passkeySettings() }), openBrowser()]);
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    app = await world.app(await world.tenant());
  });

  afterAll(async () => {
    await browser.close();
    await world.close();
    await service.close();
  });

  beforeEach(async () => {
    page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage();
    device = await VirtualAuthenticator.plugIn(page);
  });

  afterEach(() => page.context().close());

  const visitAccount = async (person: Person) => {
    await page.goto(`${service.baseUrl}/account`);
    await page.fill('#email', person.email);
    await page.fill('#password', person.password);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${service.baseUrl}/account`);
  };

  it('are created by the keyboard, on a page that looks good', async () => {
    await visitAccount(await world.person(app));
    await page.focus('a[href="/account/passkeys/new"]');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[data-passkey-button]:visible');
    await expectGoodLooks(page, 'Add a passkey');
    expect(await page.locator('[data-passkey-unsupported]').isVisible()).toBe(false);
    await page.focus('[data-passkey-button]');
    await page.keyboard.press('Enter');
    await page.waitForURL(/done=passkey-added/);
    expect(await device.credentials()).toHaveLength(1);
    await page.click('a[href^="/account/passkeys/"]:not([href$="new"])');
    await expectGoodLooks(page, 'Your passkey');
  });

  it('are not created twice on one device, or when the user cancels; the page says why', async () => {
    await visitAccount(await world.person(app));
    const create = async () => {
      await page.goto(`${service.baseUrl}/account/passkeys/new`);
      await page.click('[data-passkey-button]');
    };
    await create();
    await page.waitForURL(/done=passkey-added/);
    await create();
    await page.waitForSelector('text=This device already holds a passkey');
    await device.refuse();
    await create();
    await page.waitForSelector('text=Nothing was added');
  });
});
