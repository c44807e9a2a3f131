import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { openBrowser } from '../support/chromium.js';
import { expectGoodAppearance } from '../support/page-appearance.js';
import { runTask } from '../support/task-jobs.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../support/test-database.js';
import { type TestClient, unique, World } from '../support/world.js';

const LONG = 'Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz';

describe('Console tasks in a browser', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let app: TestClient;

  beforeAll(async () => {
    [database, browser] = await Promise.all([freshDatabase(), openBrowser()]);
    service = await startTestApp({ settings: { databaseUrl: database.url } });
    world = await World.open(service.baseUrl, database.url);
    app = await world.app(await world.tenant({ name: LONG }), { name: `${LONG} ${LONG}` });
    for (let n = 0; n < 3; n++) await world.user(app, { display_name: `${LONG} ${n}` });
    const waits = await world.user(app);
    await world.sql(`UPDATE enrollments SET status = 'pending' WHERE user_id = $1`, [waits.id]);
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

  const open = (path: string) => page.goto(service.baseUrl + path);
  const look = async (name: string) => {
    await expectGoodAppearance(page, name);
  };

  it('show who of the selected rows could not be changed, a plan for the whole list, a progress bar that updates itself, and the results', async () => {
    await open(`/console/apps/${app.id}/members`);
    await page.getByLabel('Select all on this page').check();
    const count = await page.locator('input[form="bulk"]:checked').count();
    expect(await page.locator('[data-selection-count]').innerText()).toBe(`${count} selected`);
    await look('members');
    await page.getByRole('button', { name: 'Reactivate', exact: true }).click();
    await page.locator('.toast', { hasText: 'Enrollment is not suspended' }).waitFor();
    await look('toast');
    await page.getByLabel('Select all on this page').check();
    await page.locator('input[name="whom"]').check();
    await page.getByRole('button', { name: 'Suspend', exact: true }).click();
    await page.waitForURL(/\/console\/tasks\//);
    await look('plan');
    const id = page.url().split('/').at(-1)!;
    await world.sql(
      `UPDATE enrollments SET status = 'pending' WHERE app_id = $1
       AND user_id IN (SELECT user_id FROM operator_task_people WHERE task_id = $2 LIMIT 1)`,
      [app.id, id],
    );
    // Started, without a worker that processes it.
    await world.sql(`UPDATE operator_tasks SET status = 'running', started_at = now(), done = 1 WHERE id = $1`, [id]);
    await page.reload();
    await look('progress');
    await page.locator('#progress-words', { hasText: '1 of 3 users done.' }).waitFor();
    await page.locator('.sidenav a').first().focus();
    await world.sql('UPDATE operator_tasks SET done = 2 WHERE id = $1', [id]);
    await page.locator('#progress-words', { hasText: '2 of 3 users done.' }).waitFor();
    expect(await page.locator('progress').getAttribute('value')).toBe('2');
    expect(await page.evaluate('document.activeElement?.textContent')).toBe('Overview');
    await runTask(service, id);
    await page.locator('h2', { hasText: 'Failed: 1' }).waitFor();
    await look('end');
    await page.click('.sidenav a[href="/console/tasks"]');
    await look('list');
  });

  it('import a tenant and reveal its secrets after a click', async () => {
    await open('/console/tenants/import');
    const users = [{ email: `p-${unique()}@example.com`, display_name: 'P' }];
    await page.fill('#document', JSON.stringify({ tenant: { name: `${LONG} 2` }, apps: [{ name: LONG, users }] }));
    await page.click('main form[enctype] button');
    await look('import-plan');
    await page.click('main form button[type="submit"]');
    await page.locator('button', { hasText: 'Reveal secrets' }).waitFor();
    await look('import-end');
    await page.click('main form button[type="submit"]');
    await page.locator('.secret-once code').waitFor();
    await look('secrets');
  });

  it('show whom an app that is switched off shuts out, and what the past would have been', async () => {
    const shop = await world.app(await world.tenant(), { name: LONG });
    const member = await world.user(shop, { display_name: `${LONG} 4` });
    await world.tokens(member, shop.id);
    await open(`/console/apps/${shop.id}/danger/off`);
    await page.fill('#confirm_name', LONG);
    await page.getByRole('button', { name: 'Switch app off', exact: true }).click();
    await page.locator('h2', { hasText: '1 user can no longer sign in' }).waitFor();
    await page
      .locator('p', { hasText: '1 sign-in in the last 30 days, of which 1 would have had a different result' })
      .waitFor();
    await look('review of a switch-off');
    await page.getByRole('button', { name: 'Switch app off', exact: true }).click();
    await page.locator('.toast', { hasText: 'is switched off' }).waitFor();
  });

  it('list a change that is scheduled on the page that shows its effect, and cancel it after a question', async () => {
    await world.user(app, { display_name: `${LONG} 5` });
    const tab = `/console/apps/${app.id}/sign-in`;
    await open(tab);
    await page.getByLabel('Access token lifetime (minutes)').fill('7');
    await look('a form that can wait');
    await page.getByRole('button', { name: 'Change later…', exact: true }).click();
    await page.getByText('No user is affected.').waitFor();
    await look('review of a change that affects no one');
    await page.getByRole('link', { name: 'Cancel', exact: true }).click();
    await page.getByLabel('Require a second factor').check();
    await page.getByRole('button', { name: 'Save changes', exact: true }).last().click();
    await page.getByRole('heading', { name: 'Make this change later' }).waitFor();
    await look('review');
    await page.getByLabel('Date and time (UTC)').fill(new Date(Date.now() + 86_400_000).toISOString().slice(0, 16));
    // Enter schedules, and does not save at once.
    await page.getByLabel('Date and time (UTC)').press('Enter');
    await page.waitForURL(/\/console\/scheduled-changes$/);
    await look('scheduled changes');
    const [row] = await world.sql<{ state: string }>('SELECT state FROM scheduled_changes WHERE app_id = $1', [app.id]);
    expect(row).toEqual({ state: 'planned' });
    await open(tab);
    await page.getByRole('heading', { name: 'These settings change later' }).waitFor();
    await look('settings that change later');
    await page.getByRole('link', { name: 'Show scheduled changes' }).click();
    await page.getByRole('link', { name: /^Cancel…/ }).click();
    await look('question');
    await page.getByRole('button', { name: 'Cancel scheduled change' }).click();
    await page.waitForURL(/\/console\/scheduled-changes$/);
    await page.locator('main .badge', { hasText: 'Cancelled' }).waitFor();
  });
});
