import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from '../support/chromium.js';
import { loginPath } from '../support/hosted-page.js';
import { expectGoodLooks } from '../support/looks.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { type Person, type TestClient, type TestTenant, World } from '../support/world.js';

const LONG = 'Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz';

describe('On a phone and a desktop, light and dark, for everyone', () => {
  let service: TestApp;
  let world: World;
  let browser: Browser;
  let tenant: TestTenant;
  let page: Page;

  beforeAll(async () => {
    [service, browser] = await Promise.all([startTestApp(), openBrowser()]);
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    tenant = await world.tenant();
  });

  afterAll(async () => {
    await browser.close();
    await world.close();
    await service.close();
  });

  beforeEach(async () => {
    page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage();
  });

  const open = (path: string) => page.goto(`${service.baseUrl}${path}`);

  const signIn = async (app: TestClient, person: Person) => {
    await open(loginPath(app));
    await page.fill('#email', person.email);
    await page.fill('#password', person.password);
    await page.click('button.wide');
    await page.waitForURL(/\/sign-in\//);
  };

  it('the sign-in page is good', async () => {
    await open(loginPath(await world.app(tenant)));
    await expectGoodLooks(page, 'sign in');
  });

  it('the sign-in page with errors is good', async () => {
    await open(loginPath(await world.app(tenant)));
    await page.click('button.wide');
    await page.waitForSelector('.error-summary');
    await expectGoodLooks(page, 'sign in with errors');
  });

  it.each(['#ffffff', '#000000', '#ffff00', '#808080', '#ff0000'])(
    'an app with the colour %s and a name without end is good',
    async (primary_color) => {
      const app = await world.app(await world.tenant({ name: LONG }), {
        name: `${LONG} ${LONG}`,
        config: { branding: { primary_color } },
      });
      await world.asAdmin('PUT', `/admin/apps/${app.id}`, { config: { redirect_uris: [app.redirectUri] } });
      await open(loginPath(app));
      await expectGoodLooks(page, primary_color);
    },
  );

  it('the page to join is good', async () => {
    const app = await world.app(tenant, { registration_policy: 'open', name: LONG });
    await signIn(app, await world.person());
    expect(await page.locator('h1').innerText()).toContain('Join');
    await expectGoodLooks(page, 'join');
  });

  it('the question whether to sign out is good', async () => {
    // Below /dev/ an app may be sent back to the service itself; nothing answers there here.
    const back = `${service.baseUrl}/dev/the-app`;
    const app = await world.app(tenant, { name: LONG, config: { redirect_uris: [back] } });
    const person = await world.person(app);
    await open(loginPath({ ...app, redirectUri: back }));
    await page.fill('#email', person.email);
    await page.fill('#password', person.password);
    await Promise.all([page.waitForURL(/\/dev\/the-app\?code=/), page.click('button.wide')]);
    await open(`/logout?${new URLSearchParams({ client_id: app.id, post_logout_redirect_uri: back }).toString()}`);
    expect(await page.locator('h1').innerText()).toBe('Sign out?');
    await expectGoodLooks(page, 'sign out');
  });

  it('the page for a sign-out link that is wrong is good', async () => {
    const app = await world.app(tenant);
    await open(
      `/logout?${new URLSearchParams({ client_id: app.id, post_logout_redirect_uri: 'https://evil.example/' }).toString()}`,
    );
    expect(await page.locator('h1').innerText()).toBe('This sign-out link does not work');
    await expectGoodLooks(page, 'sign out fault');
  });

  it.each(['invite', 'approval'])('the page without access to an %s app is good', async (registration_policy) => {
    const app = await world.app(tenant, { registration_policy });
    await signIn(app, await world.person());
    expect(await page.getByRole('link', { name: /^Back to/ }).isVisible()).toBe(true);
    await expectGoodLooks(page, 'no access');
  });

  it('the page for a link that is wrong is good', async () => {
    const app = await world.app(tenant);
    await open(loginPath({ id: app.id, redirectUri: `https://evil.example/${'x'.repeat(2000)}` }));
    await expectGoodLooks(page, 'fault');
  });

  it.each(['/nowhere', `/sign-in/${randomUUID()}`, '/setup?token=spent'])('the page at %s is good', async (path) => {
    await open(path);
    await expectGoodLooks(page, path);
  });

  it('every page says in its title where one is', async () => {
    const titles: string[] = [];
    for (const path of [loginPath(await world.app(tenant, { name: 'Shop' })), '/login', '/nowhere', '/setup']) {
      await open(path);
      titles.push(await page.title());
    }
    expect(titles).toEqual([
      'Sign in to Shop',
      'This sign-in link does not work',
      'Page not found',
      'This link no longer works',
    ]);
  });
});
