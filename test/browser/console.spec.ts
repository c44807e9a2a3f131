import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { copies } from '../support/copies.js';
import { openBrowser } from '../support/chromium.js';
import { expectGoodAppearance, openSteady } from '../support/page-appearance.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../support/test-database.js';
import { type TestUser, type TestClient, type TestTenant, World } from '../support/world.js';

const LONG = 'Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz';

describe('Console in a browser', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let browser: Browser;
  let tenant: TestTenant;
  let app: TestClient;
  let context: BrowserContext;
  let page: Page;
  let complaints: string[];

  beforeAll(async () => {
    [database, browser] = await Promise.all([freshDatabase(), openBrowser()]);
    service = await startTestApp({
      settings: { databaseUrl: database.url, rateLimits: { enabled: false, overrides: {} } },
    });
    world = await World.open(service.baseUrl, database.url);
    tenant = await world.tenant({ name: `Acme ${LONG} ${LONG}` });
    app = await world.app(tenant, { name: `Shop ${LONG} ${LONG}` });
    await world.user({ id: tenant.consoleAppId }, { display_name: `${LONG} ${LONG}` });
    for (let count = 0; count < 3; count++) await world.app(await world.tenant());
    for (const roles of [['user'], ['admin'], ['user']])
      await world.asAdmin('POST', `/admin/apps/${app.id}/invites`, { roles, send_to_email: `${LONG}@example.com` });
  });

  afterAll(async () => {
    await browser.close();
    await world.close();
    await service.close();
    await database.drop();
  });

  beforeEach(async () => {
    context = await browser.newContext({ reducedMotion: 'reduce' });
    page = await context.newPage();
    complaints = [];
    page.on('console', (message) => {
      // Chromium logs every response such as 422 as an error; it is expected here.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
  });

  afterEach(async () => {
    expect(complaints).toEqual([]);
    await context.close();
  });

  const open = (path: string) => page.goto(`${service.baseUrl}${path}`);

  const enter = async (user: TestUser, path = '/console/') => {
    await open(path);
    await page.fill('#email', user.email);
    await page.fill('#password', user.password);
    await page.click('button.wide');
    await page.waitForURL((url) => url.pathname.startsWith('/console'));
  };

  it('looks good on every page as a platform admin', async () => {
    await enter(world.admin);
    const paths = [
      '/console/',
      '/console/tenants',
      '/console/tenants?q=nobody-is-called-that',
      '/console/tenants/new',
      '/console/tenants/import',
      `/console/tenants/${tenant.id}`,
      `/console/tenants/${tenant.id}/admins`,
      `/console/tenants/${tenant.id}/apps`,
      `/console/tenants/${tenant.id}/data`,
      `/console/tenants/${tenant.id}/danger`,
      '/console/pick-tenant',
      '/console/account',
      '/console/audit',
      '/console/audit?action=nothing.of_that_name',
      `/console/invites?app_id=${app.id}`,
      '/console/search?q=acme',
      '/console/search?q=nobody-is-called-that',
      `/console/impersonate/${tenant.id}`,
      '/console/help/tokens/openid-connect',
    ];
    for (const path of paths) {
      await openSteady(page, `${service.baseUrl}${path}`, path);
      await expectGoodAppearance(page, path);
    }
  });

  it('keeps the first chart in its place however many charts follow, as the page is painted while it loads', async () => {
    await enter(world.admin);
    const place = `JSON.stringify(document.querySelector('.chart .plot').getBoundingClientRect())`;
    const among = await page.evaluate<string>(place);
    const others = await page.evaluate<number>(`[...document.querySelectorAll('.chart')].slice(1).filter((each) => {
      each.remove();
      return true;
    }).length`);
    expect(others).toBeGreaterThan(1);
    expect(await page.evaluate<string>(place)).toBe(among);
  });

  it('looks good with errors, on a 403 page and while acting as a tenant', async () => {
    await enter(world.admin, '/console/tenants/new');
    await page.click('text=Create tenant');
    await page.waitForSelector('.error-summary');
    expect(await page.locator(':focus').getAttribute('class')).toBe('error-summary');
    await expectGoodAppearance(page, 'new tenant, errors');
    await open('/console/audit');
    await page.locator('.audit-event summary').first().click();
    await expectGoodAppearance(page, 'audit, opened');
    await open(`/console/impersonate/${tenant.id}`);
    await page.fill('#reason', `Ticket 4711 ${LONG} ${LONG}`);
    await page.click('text=Impersonate tenant');
    await page.waitForSelector('.impersonation');
    await expectGoodAppearance(page, 'acting as a tenant');
    await open('/console/tenants');
    await expectGoodAppearance(page, 'refused');
    expect(await page.locator('h1').innerText()).toBe('You don’t have permission');
    await page.click('text=Stop impersonating');
    await page.waitForSelector('.notice');
    expect(await page.locator('.impersonation').count()).toBe(0);
    await expectGoodAppearance(page, 'oneself again');
  });

  it('looks good on the sign-out page', async () => {
    await enter(world.admin);
    await context.addCookies([]);
    await open('/console/logout');
    await expectGoodAppearance(page, 'sign out?');
    await page.click('button.wide');
    await page.waitForURL(/\/login\?/);
  });

  it('switches the tenant with a click on its own link', async () => {
    const admin = await world.tenantAdmin(tenant);
    const second = await world.tenant({ name: 'Second' });
    await world.asAdmin('POST', `/admin/tenants/${second.id}/admins`, { user_id: admin.id });
    await enter(admin);
    await page.click('.topbar-tenant a');
    await page.click('.choices a:has-text("Second")');
    await page.waitForURL(/\/console\/$/);
    expect(await page.locator('.topbar-tenant').innerText()).toContain('Second');
    expect(await page.locator('.notice').innerText()).toBe('Viewing Second.');
  });

  it('folds its navigation on a phone, and is searchable with the keyboard', async () => {
    await page.setViewportSize({ width: 360, height: 800 });
    await enter(world.admin);
    expect(await page.locator('.sidenav ul').first().isVisible()).toBe(false);
    await page.click('button[popovertarget="navigation"]');
    await page.click('.sidenav a:has-text("Audit")');
    await page.waitForURL(/\/console\/audit$/);
    await page.setViewportSize({ width: 1280, height: 800 });
    expect(await page.locator('.sidenav ul').first().isVisible()).toBe(true);
    await page.keyboard.press('/');
    await page.keyboard.type('shop');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/console\/search\?q=shop$/);
    expect(await page.locator('.choices a').first().getAttribute('href')).toBe(`/console/apps/${app.id}`);
  });

  it('opens its navigation, and changes the theme, without scripts', async () => {
    await context.close();
    context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 360, height: 800 } });
    page = await context.newPage();
    await enter(world.admin);
    await page.click('button[popovertarget="navigation"]');
    await page.click('.sidenav a:has-text("Audit")');
    await page.waitForURL(/\/console\/audit$/);
    await page.click('.account-menu > summary');
    await page.click('button[name="theme"][value="dark"]');
    await page.waitForURL(/\/console\/audit$/);
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
    await open('/login');
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
  });

  it('has controls of 32 to 36 px and rows of 44 to 48 px under a mouse, and of 44 px under a finger', async () => {
    await enter(world.admin, '/console/tenants');
    const heights = async () => {
      const parts = ['.filters input', '.filters button', 'tbody tr', '.page-head .button'];
      const boxes = await Promise.all(parts.map((part) => page.locator(part).first().boundingBox()));
      return boxes.map((box) => Math.round(box!.height));
    };
    const [input, button, row, link] = await heights();
    for (const height of [input!, button!, link!]) expect([32, 33, 34, 35, 36]).toContain(height);
    expect([44, 45, 46, 47, 48]).toContain(row);
    const state = await context.storageState();
    await context.close();
    context = await browser.newContext({ storageState: state, hasTouch: true, isMobile: true });
    page = await context.newPage();
    await open('/console/tenants');
    for (const height of await heights()) expect(height).toBeGreaterThanOrEqual(44);
  });

  it('works without scripts: imports a tenant and reveals its secrets once', async () => {
    await context.close();
    context = await browser.newContext({ javaScriptEnabled: false });
    page = await context.newPage();
    await enter(world.admin, '/console/tenants/import');
    const document = JSON.stringify({ tenant: { name: 'Moved' }, apps: [{ name: 'Moved app' }] });
    await page.setInputFiles('#file', {
      name: 'moved.json',
      mimeType: 'application/json',
      buffer: Buffer.from(document),
    });
    await page.click('text=Preview import');
    await page.waitForSelector('h1:text-is("Import preview")');
    await page.click('button:text-is("Import tenant")');
    await page.click('button:has-text("Reveal secrets")'); // the page reloads itself until the button is there
    await page.waitForSelector('h1:text-is("New secrets")');
    expect(await page.locator('.secret-once code').innerText()).toMatch(/^[\w-]{43}$/);
  });

  it('asks before a page with a secret is left, until the secret was copied', async () => {
    await enter(world.admin, '/console/tenants/import');
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.fill('#document', JSON.stringify({ tenant: { name: 'Moved too' }, apps: [{ name: 'Moved app' }] }));
    await page.click('text=Preview import');
    await page.click('button:text-is("Import tenant")');
    await page.click('button:has-text("Reveal secrets")');
    await page.waitForSelector('.secret-once');
    const asked = page.waitForEvent('dialog');
    const leaving = open('/console/').catch(() => null);
    const dialog = await asked;
    expect(dialog.type()).toBe('beforeunload');
    await dialog.dismiss();
    await leaving;
    await copies(page, page.locator('.secret-once button[data-copy]'));
    await open('/console/');
    expect(await page.locator('h1').innerText()).toBe('Overview');
  });
});
