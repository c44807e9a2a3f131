import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { ClickCounter, type Device, DEVICES } from '../../support/click-counter.js';
import { openBrowser } from '../../support/chromium.js';
import { type ListeningApp, startListeningApp } from '../../support/listening-app.js';
import { eventually } from '../../support/wait.js';
import { WebhookFixture } from '../../support/webhook-fixture.js';
import { testEvent, webhookApp } from '../../support/webhooks.js';
import { type TestUser, unique } from '../../support/world.js';

/** On a phone the menu, or the field of the search, is one click more. */
const onPhone = ({ isPhone }: Device) => (isPhone ? 1 : 0);

describe.each(DEVICES.map((device) => [device.name, device] as const))('Five journeys on %s', (_, device) => {
  let fixture: WebhookFixture;
  let browser: Browser;
  let shop: ListeningApp;
  let admin: ClickCounter;

  beforeAll(async () => {
    [fixture, browser, shop] = await Promise.all([WebhookFixture.open(), openBrowser(), startListeningApp()]);
    admin = await ClickCounter.open(browser, device);
    await admin.page.goto(`${fixture.service.baseUrl}/console/`);
    await signIn(admin, fixture.world.admin);
  });

  afterAll(async () => {
    await browser.close();
    await Promise.all([shop.close(), fixture.close()]);
  });

  async function signIn({ page }: ClickCounter, { email, password }: { email: string; password: string }) {
    await page.fill('#email', email);
    await page.fill('#password', password);
    await Promise.all([page.waitForEvent('load'), page.click('button.wide')]);
    await page.locator('h1', { hasText: 'One moment' }).waitFor({ state: 'detached' });
    await page.waitForLoadState();
  }

  /** At the overview, signed in, before the first click. */
  async function begin(): Promise<void> {
    admin.clicks = 0;
    await admin.page.goto(`${fixture.service.baseUrl}/console/`);
  }

  it('a locked user is found by name and unlocked', async () => {
    const name = `Nikoláos ${unique()}`;
    const app = await fixture.world.app(await fixture.world.tenant());
    const user = await fixture.world.user(app, { display_name: name });
    for (let attempt = 0; attempt < 6; attempt++) await fixture.world.login({ ...user, password: 'wrong' }, app.id);
    expect((await fixture.world.login(user, app.id)).status).toBe(429);
    await begin();
    await admin.search(name.replace('á', 'a').toLowerCase());
    await admin.follow(new RegExp(name));
    await admin.follow('Why can’t they sign in?');
    expect(await admin.text()).toContain('Too many attempts');
    await admin.follow('Account');
    await admin.press('Clear limits');
    expect((await fixture.world.login(user, app.id)).status).toBe(200);
    expect(admin.clicks).toBe(5 + onPhone(device));
  });

  it('ten of twelve requests are approved', async () => {
    await fixture.world.sql(`DELETE FROM enrollments WHERE status = 'pending'`);
    const app = await fixture.world.app(await fixture.world.tenant(), {
      name: 'Depot',
      registration_policy: 'approval',
    });
    const users: TestUser[] = [];
    for (let index = 0; index < 12; index++)
      users.push(await fixture.world.user(app, { display_name: `Asker ${index + 1}`, email_verified: true }));
    await fixture.world.sql(`UPDATE enrollments SET status = 'pending' WHERE app_id = $1`, [app.id]);
    await begin();
    await admin.navigate('Requests');
    const boxes = admin.page.locator('.pick');
    expect(await boxes.count()).toBe(12);
    if (device.hasScripts) {
      await admin.click(admin.page.locator('[data-select-all]'));
      for (const index of [3, 8]) await admin.click(boxes.nth(index));
    } else {
      for (let index = 0; index < 10; index++) await admin.click(boxes.nth(index));
    }
    await admin.press('Approve selected');
    const rows = await fixture.world.sql<{ status: string; count: number }>(
      'SELECT status, count(*)::int AS count FROM enrollments WHERE app_id = $1 GROUP BY status ORDER BY status',
      [app.id],
    );
    expect(rows).toEqual([
      { status: 'active', count: 10 },
      { status: 'pending', count: 2 },
    ]);
    expect(admin.clicks).toBe((device.hasScripts ? 5 : 12) + onPhone(device));
  });

  it('who changed a redirect URI in the last week is read and exported', async () => {
    const name = `Ledger ${unique()}`;
    const app = await fixture.world.app(await fixture.world.tenant(), { name });
    const redirect_uris = [app.redirectUri, 'https://new.example/callback'];
    await fixture.world.asAdmin('PUT', `/admin/apps/${app.id}`, { config: { redirect_uris } });
    await begin();
    await admin.navigate('Apps');
    await admin.follow(name);
    await admin.follow('View in audit log');
    await admin.follow('7 days');
    const row = admin.page.locator('.audit details', { hasText: 'changed the settings' }).first();
    expect(await row.innerText()).toContain('Root');
    await admin.click(row.locator('summary'));
    expect(await row.innerText()).toMatch(/: redirect uris[^]*added[^]*https:\/\/new\.example\/callback/);
    admin.clicks += 1;
    const [download] = await Promise.all([
      admin.page.waitForEvent('download'),
      admin.page.getByRole('link', { name: 'Export CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/\.csv$/);
    const csv = await readFile(await download.path(), 'utf8');
    expect(csv).toMatch(new RegExp(`app\\.updated.*${fixture.world.admin.email}`));
    expect(admin.clicks).toBe(6 + onPhone(device));
  });

  it('the reason why a webhook fails is found, and its messages are sent again', async () => {
    const path = `/${unique()}`;
    fixture.receiver.on(path, 500);
    const app = await webhookApp(fixture.world, fixture.receiver.url(path));
    await testEvent(fixture.world, app);
    await fixture.receiver.count(path, 2); // the next attempt is due in five minutes
    await begin();
    await eventually('a webhook on the overview', async () => {
      await admin.page.reload();
      return (await admin.text()).includes('Check the webhook of');
    });
    await admin.leave(admin.page.locator(`main a[href="/console/apps/${app.id}/webhooks"]`).first());
    expect(await admin.text()).toMatch(/Failing since[^]*Last answer: HTTP 500/);
    fixture.receiver.on(path, 204);
    await admin.follow('webhook.test');
    expect(await admin.text()).toMatch(/HTTP 500[^]*HTTP 500/);
    await admin.press('Send message again');
    await fixture.receiver.count(path, 3);
    expect(admin.clicks).toBe(3);
  });

  // The last one: the user takes the administrator's place in this browser.
  it('an app is set up from nothing to a signed-in user', async () => {
    const tenant = await fixture.world.tenant();
    const user = await fixture.world.user();
    await begin();
    await admin.navigate('Apps');
    await admin.follow('New app');
    await admin.choose('Tenant', tenant.name);
    await admin.page.fill('#name', 'Harbour');
    await admin.page.fill('#bundle_id', `com.example.${unique()}`);
    await admin.choose('Registration', 'Open: anyone can join');
    await admin.page.fill('#redirect_uris', shop.redirectUri);
    await admin.press('Create app');
    await admin.follow('I’ve saved the secret: continue to the app');
    await admin.follow('Test sign-in');
    await signIn(admin, user);
    admin.clicks += 1; // “Sign in”
    await admin.press(/^Join/);
    await admin.page.waitForURL(/\/callback\?code=/); // there may be a page between that goes on by itself
    expect(admin.page.url()).toContain(`${shop.redirectUri}?code=`);
    expect(admin.clicks).toBe(9 + onPhone(device));
  });
});
