import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { DailyCount } from '../../src/operations/statistics/daily-count.job.js';
import { openBrowser } from '../support/chromium.js';
import { expectGoodAppearance } from '../support/page-appearance.js';
import { enroll } from '../support/second-factor.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../support/test-database.js';
import { type TestUser, type TestClient, World } from '../support/world.js';

const LONG = 'Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz';

describe('Console pages for users, help and queues in a browser', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let app: TestClient;
  let user: TestUser;

  beforeAll(async () => {
    [database, browser] = await Promise.all([freshDatabase(), openBrowser()]);
    service = await startTestApp({ settings: { databaseUrl: database.url } });
    world = await World.open(service.baseUrl, database.url);
    const tenant = await world.tenant({ name: LONG });
    app = await world.app(tenant, { name: `${LONG} ${LONG}` });
    const other = await world.app(tenant, { name: 'Books' });
    user = await world.user(app, { display_name: `${LONG} ${LONG}` });
    await world.asAdmin('PUT', `/admin/users/${user.id}/roles`, { app_id: other.id, roles: ['admin', 'manager'] });
    await enroll(world, user, app.id);
    for (let attempt = 0; attempt < 6; attempt++) await world.login({ ...user, password: 'wrong' }, app.id);
    await world.asAdmin('POST', `/admin/users/${user.id}/suspend`, { app_id: other.id });
    const pending = await world.user(app);
    await world.sql(`UPDATE enrollments SET status = 'pending' WHERE user_id = $1`, [pending.id]);
    await world.sql(
      `INSERT INTO linked_accounts (id, user_id, provider, subject, email) VALUES (gen_random_uuid(), $1, 'github', 'x', $2)`,
      [user.id, `${LONG}@example.com`],
    );
    await world.sql(
      `INSERT INTO outbox_messages (id, job, payload, max_attempts, attempts, dead_at, last_error)
       VALUES (gen_random_uuid(), 'mail.send', '{}', 15, 15, now(), $1)`,
      [`Error: ${LONG}${LONG}`],
    );
    await service.nest.get(DailyCount, { strict: false }).run();
    context = await browser.newContext({ reducedMotion: 'reduce' });
    page = await context.newPage();
    await open('/console/');
    await page.fill('#email', world.admin.email);
    await page.fill('#password', world.admin.password);
    await page.click('button.wide');
    await page.waitForURL(/\/console\/$/);
  });

  afterAll(async () => {
    await browser.close();
    await world.close();
    await service.close();
    await database.drop();
  });

  const open = (path: string) => page.goto(`${service.baseUrl}${path}`);

  it.each([
    ['the overview with its charts', () => '/console/'],
    ['the help', () => '/console/help'],
    ['a search in the help', () => '/console/help?q=token'],
    ['a help article with wide code', () => '/console/help/start/first-app'],
    ['a help article with a wide table', () => '/console/help/administration/roles'],
    ['the limits and queues', () => '/console/queues'],
    ['the rate limits of an email address', () => `/console/queues/limits?address=${user.email}`],
    ['the push overview of all apps', () => '/console/push'],
    ['the list of users', () => '/console/users'],
    ['the list of an app’s users with checkboxes', () => `/console/users?app=${app.id}`],
    ['the form for a new user', () => '/console/users/new'],
    ['a user’s overview', () => `/console/users/${user.id}`],
    ['a user’s access check', () => `/console/users/${user.id}/access`],
    ['a user’s sessions', () => `/console/users/${user.id}/sessions`],
    ['a user’s activity', () => `/console/users/${user.id}/timeline`],
    ['a user’s account', () => `/console/users/${user.id}/account`],
    ['a user’s roles in an app', () => `/console/users/${user.id}/apps/${app.id}/roles`],
    ['the deletion of a user', () => `/console/users/${user.id}/delete`],
  ])('show %s well', async (name, path) => {
    const answer = await open(path());
    expect([name, answer!.status()]).toEqual([name, 200]);
    for (const summary of await page.locator('.chart summary').all()) await summary.click();
    await expectGoodAppearance(page, name);
  });

  it('apply a choice in a filter at once, by mouse and by keyboard, with what was typed, and keep the focus', async () => {
    await open('/console/users');
    await page.fill('main #q', 'Rind');
    await page.selectOption('#status', 'no_password');
    await page.waitForURL(/\/console\/users\?q=Rind&.*status=no_password/);
    await page.locator('.empty').waitFor();
    expect(await page.locator(':focus').getAttribute('id')).toBe('status');
    await page.goBack();
    await page.waitForURL(/\/console\/users$/);
    expect(await page.locator('#status').inputValue()).toBe('');
    await page.locator('#status').focus();
    await page.keyboard.press('ArrowDown');
    await page.waitForURL(/\/console\/users\?.*status=\w/);
    expect(await page.locator(':focus').getAttribute('id')).toBe('status');
  });

  it('keep the button of a filter, which does without scripts what a choice does with them', async () => {
    const storageState = await context.storageState();
    const plain = await browser.newContext({ javaScriptEnabled: false, storageState });
    const still = await plain.newPage();
    await still.goto(`${service.baseUrl}/console/users`);
    await still.selectOption('#status', 'second_factor');
    await still.getByRole('button', { name: 'Filter' }).click();
    await still.waitForURL(/status=second_factor/);
    expect(await still.locator('main tbody tr').count()).toBe(1);
    await plain.close();
  });

  it('lead from an email address to the reason for a blocked sign-in, and unblock the user', async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await open('/console/');
    await page.keyboard.press('/');
    await page.keyboard.type(user.email.slice(0, 16));
    await page.keyboard.press('Enter');
    await page.click(`main a[href="/console/users/${user.id}"]`);
    await page.click('text=Why can’t they sign in?');
    await page.waitForSelector('.verdict');
    expect(await page.locator('.rules').first().textContent()).toContain('Too many attempts');
    await page.click('.tabs >> text=Account');
    await page.click('text=Clear limits');
    await page.waitForSelector('.notice');
    expect(await page.locator('.notice').textContent()).toContain('can try again immediately');
    await page.click('.tabs >> text=Overview');
    await page.click('button:has-text("Reactivate")');
    await page.waitForSelector('.notice');
    await page.click('.tabs >> text=Activity');
    expect(await page.locator('.timeline li').first().innerText()).toMatch(/reactivated .* in Books\./);
  });
});
