import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from '../support/chromium.js';
import { beginDevice, deviceApp } from '../support/device-grant.js';
import { loginPath } from '../support/hosted-page.js';
import { expectGoodAppearance, openSteady } from '../support/page-appearance.js';
import { mailedLink } from '../support/mailed-link.js';
import { signUpUser } from '../support/new-user.js';
import { sharedTestApp, type SharedTestApp } from '../support/test-app.js';
import { type TestUser, type TestClient, type TestTenant, World } from '../support/world.js';

const LONG = 'Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz';

describe('Hosted pages on a phone and a desktop, light and dark', () => {
  let service: SharedTestApp;
  let world: World;
  let browser: Browser;
  let tenant: TestTenant;
  let page: Page;

  beforeAll(async () => {
    [service, browser] = await Promise.all([sharedTestApp(), openBrowser()]);
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    tenant = await world.tenant();
  });

  afterAll(async () => {
    await browser.close();
    await world.close();
  });

  beforeEach(async () => {
    page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage();
  });

  const open = (path: string) => openSteady(page, `${service.baseUrl}${path}`);

  const signIn = async (app: TestClient, user: TestUser) => {
    await open(loginPath(app));
    await page.fill('#email', user.email);
    await page.fill('#password', user.password);
    await page.click('button.wide');
    await page.waitForURL(/\/sign-in\//);
  };

  it('the sign-in page looks good', async () => {
    await open(loginPath(await world.app(tenant)));
    await expectGoodAppearance(page, 'sign in');
  });

  it('the pages that let a device in look good', async () => {
    const app = await deviceApp(world, tenant, {}, { name: LONG });
    const user = await world.user(app);
    await open('/device');
    await expectGoodAppearance(page, 'code of a device');
    await page.click('button.wide');
    await page.waitForSelector('.field-error');
    await expectGoodAppearance(page, 'code of a device with an error');
    const { user_code } = await beginDevice(world, app);
    await open(`/device?user_code=${user_code}`);
    await page.click('button.wide');
    await page.fill('#email', user.email);
    await page.fill('#password', user.password);
    await page.click('button.wide');
    await page.waitForSelector('button[value="allow"]');
    await expectGoodAppearance(page, 'compare the code of a device');
    await page.click('button[value="allow"]');
    await page.waitForSelector('a.button.wide');
    await expectGoodAppearance(page, 'a device was let in');
  });

  it('the sign-in page with errors looks good', async () => {
    await open(loginPath(await world.app(tenant)));
    await page.click('button.wide');
    await page.waitForSelector('.field-error');
    await expectGoodAppearance(page, 'sign in with errors');
  });

  it.each(['#ffffff', '#000000', '#ffff00', '#808080', '#ff0000'])(
    'an app with the color %s and a very long name looks good',
    async (primary_color) => {
      const app = await world.app(await world.tenant({ name: LONG }), {
        name: `${LONG} ${LONG}`,
        config: { branding: { primary_color } },
      });
      await world.asAdmin('PUT', `/admin/apps/${app.id}`, { config: { redirect_uris: [app.redirectUri] } });
      await open(loginPath(app));
      await expectGoodAppearance(page, primary_color);
    },
  );

  it('the page to join an app looks good', async () => {
    const app = await world.app(tenant, { registration_policy: 'open', name: LONG });
    await signIn(app, await world.user());
    expect(await page.locator('h1').innerText()).toContain('Join');
    await expectGoodAppearance(page, 'join');
  });

  it('the sign-out confirmation looks good', async () => {
    // Redirect URIs on the service itself are allowed under /dev/; here this one returns 404.
    const back = `${service.baseUrl}/dev/the-app`;
    const app = await world.app(tenant, { name: LONG, config: { redirect_uris: [back] } });
    const user = await world.user(app);
    await open(loginPath({ ...app, redirectUri: back }));
    await page.fill('#email', user.email);
    await page.fill('#password', user.password);
    await Promise.all([page.waitForURL(/\/dev\/the-app\?code=/), page.click('button.wide')]);
    await open(`/logout?${new URLSearchParams({ client_id: app.id, post_logout_redirect_uri: back }).toString()}`);
    expect(await page.locator('h1').innerText()).toBe('Sign out?');
    await expectGoodAppearance(page, 'sign out');
  });

  it('the page for an invalid sign-out link looks good', async () => {
    const app = await world.app(tenant);
    await open(
      `/logout?${new URLSearchParams({ client_id: app.id, post_logout_redirect_uri: 'https://evil.example/' }).toString()}`,
    );
    expect(await page.locator('h1').innerText()).toBe('This sign-out link does not work');
    await expectGoodAppearance(page, 'sign out fault');
  });

  it.each(['invite', 'approval'])(
    'the page without access to an app with registration policy %s looks good',
    async (registration_policy) => {
      const app = await world.app(tenant, { registration_policy });
      await signIn(app, await world.user());
      expect(await page.getByRole('link', { name: /^Back to/ }).isVisible()).toBe(true);
      await expectGoodAppearance(page, 'no access');
    },
  );

  it('the pages that confirm an address look good', async () => {
    const app = await world.app(tenant, { registration_policy: 'open' });
    for (const made of ['by-owner', 'by-admin'] as const) {
      const user =
        made === 'by-owner' ? await signUpUser(world, app) : await world.user(app, { email_verified: false });
      await open(`/verify-email?token=${await mailedLink(world, user, app, 'verify_email')}`);
      await expectGoodAppearance(page, `verify ${made}`);
      await page.click('button.wide');
      await page.getByRole('heading', { name: 'Your address is confirmed' }).waitFor();
      await expectGoodAppearance(page, `verified ${made}`);
    }
    await page.getByRole('link', { name: 'Set a password' }).click();
    await page.fill('#password', 'my own long secret');
  });

  it('the page for an invalid sign-in link looks good', async () => {
    const app = await world.app(tenant);
    await open(loginPath({ id: app.id, redirectUri: `https://evil.example/${'x'.repeat(2000)}` }));
    await expectGoodAppearance(page, 'fault');
  });

  it.each(['/nowhere', `/sign-in/${randomUUID()}`, '/setup?token=spent', '/docs'])(
    'the page at %s looks good',
    async (path) => {
      await open(path);
      await expectGoodAppearance(page, path);
    },
  );

  it('the title of every page names the page', async () => {
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
