import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';
import { DemoData } from '../../src/embedded/dev/playground/demo-data.js';
import { openWholeBrowser } from '../support/whole-chromium.js';
import { expectGoodAppearance } from '../support/page-appearance.js';
import { fcmToken, registerDevice } from '../support/push.js';
import { type PushFixture, startPushFixture } from '../support/push-fixture.js';
import { eventually } from '../support/wait.js';
import type { TestUser } from '../support/world.js';

describe('Push demo page', () => {
  let fixture: PushFixture;
  let browser: Browser;
  let context: BrowserContext;
  let user: TestUser;
  let appId: string;

  beforeAll(async () => {
    [fixture, browser] = await Promise.all([startPushFixture({ embedded: true }), openWholeBrowser()]);
    appId = (await fixture.service.nest.get(DemoData).ensureApp()).id;
    user = await fixture.world.user({ id: appId });
    context = await browser.newContext({ reducedMotion: 'reduce' });
    await context.grantPermissions(['notifications'], { origin: fixture.service.baseUrl });
  });
  afterAll(async () => {
    await browser.close();
    await fixture.close();
  });

  const signIn = async (): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(`${fixture.service.baseUrl}/dev/push-demo`);
    await page.getByRole('link', { name: 'Sign in' }).click();
    if (await page.locator('#email').isVisible()) {
      await page.fill('#email', user.email);
      await page.fill('#password', user.password);
      await page.click('button.wide');
    }
    await page.waitForURL(/\/dev\/push-demo\?code=/);
    return page;
  };
  const says = (page: Page, text: RegExp) =>
    eventually('the page says so', async () => text.test(await page.locator('[data-push-status]').innerText()));

  it('looks good, and so does the list of captured notifications', async () => {
    const page = await signIn();
    await expectGoodAppearance(page, 'push demo');
    await registerDevice(fixture.world, { id: appId }, user, { push_token: fcmToken() });
    await page.getByRole('button', { name: 'Send me a notification' }).click();
    await page.waitForSelector('#sent');
    await expectGoodAppearance(page, 'push demo, sent');
    const sink = await context.newPage();
    await eventually('it has arrived', async () => {
      await sink.goto(`${fixture.service.baseUrl}/dev/push`);
      return sink.getByText('Hello from the demo app').first().isVisible();
    });
    await expectGoodAppearance(sink, 'push');
  });

  it('explains why a browser without a push service gets no subscription', async () => {
    const page = await signIn();
    await page.getByRole('button', { name: 'Allow and subscribe' }).click();
    await says(page, /gave no subscription .*could not reach its push service/);
  });

  it('subscribes, registers a device and shows a delivered notification', async () => {
    const { browsers, service } = fixture;
    const { id, token } = browsers.subscribe();
    // This Chromium has no push service, so its subscribe() is replaced; everything else is real.
    await context.addInitScript(
      `PushManager.prototype.subscribe = async ({ applicationServerKey }) =>
         ({ toJSON: () => ({ ...${token}, key: applicationServerKey }) });`,
    );
    const page = await signIn();
    await page.getByRole('button', { name: 'Allow and subscribe' }).click();
    await says(page, /Registered as device [0-9a-f-]{36}/);
    await page.getByRole('button', { name: 'Send me a notification' }).click();
    const [message] = await eventually('it is pushed', () => (browsers.to(id).length > 0 ? browsers.to(id) : null));
    const cdp = await context.newCDPSession(page);
    await deliver(cdp, service.baseUrl, JSON.stringify(message!.payload));
    const shownNow = async () => {
      const notifications = await page.evaluate<{ title: string; tag: string }[]>(
        `navigator.serviceWorker.getRegistration('/dev/').then((registration) => registration.getNotifications())
           .then((all) => all.map(({ title, tag }) => ({ title, tag })))`,
      );
      return notifications.length > 0 ? notifications : null;
    };
    // The browser starts the service worker for it, which takes a while on a busy machine.
    const shown = await eventually('it is shown', shownNow, { within: 60_000 });
    expect(shown).toEqual([{ title: 'Hello from the demo app', tag: message!.payload.notification_id }]);
  });

  it('rejects a code of another browser’s sign-in', async () => {
    const page = await (await browser.newContext()).newPage();
    await page.goto(`${fixture.service.baseUrl}/dev/push-demo?code=x&state=y`);
    expect(await page.getByRole('alert').innerText()).toContain('Sign in again');
  });
});

/** Delivers a push message to the service worker, as Chromium's push service does. Before it is active, it would be lost. */
async function deliver(cdp: CDPSession, origin: string, data: string): Promise<void> {
  const activated = new Promise<string>((resolve) => {
    cdp.on('ServiceWorker.workerVersionUpdated', ({ versions }) => {
      const active = versions.find(({ status }) => status === 'activated');
      if (active) resolve(active.registrationId);
    });
  });
  await cdp.send('ServiceWorker.enable');
  await cdp.send('ServiceWorker.deliverPushMessage', { origin, registrationId: await activated, data });
}
