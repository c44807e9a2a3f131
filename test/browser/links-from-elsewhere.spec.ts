import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { openBrowser } from '../support/chromium.js';
import { loginPath } from '../support/hosted-page.js';
import { type ListeningApp, startListeningApp } from '../support/listening-app.js';
import { expectGoodAppearance } from '../support/page-appearance.js';
import { type MailingService, startMailingService } from '../support/mailing-service.js';
import { linkIn } from '../support/smtp.js';
import type { TestUser, TestClient, TestTenant, World } from '../support/world.js';

/** Uses the real Sec-Fetch headers and cookies of a browser. */
describe('Link on another site', () => {
  let mailing: MailingService;
  let world: World;
  let browser: Browser;
  let listening: ListeningApp;
  let tenant: TestTenant;
  let app: TestClient;
  let context: BrowserContext;
  let page: Page;

  beforeAll(async () => {
    [mailing, browser, listening] = await Promise.all([startMailingService(), openBrowser(), startListeningApp()]);
    ({ world } = mailing);
    tenant = await world.tenant({ name: 'Acme' });
    const { redirectUri } = listening;
    app = { ...(await world.app(tenant, { config: { redirect_uris: [redirectUri] } })), redirectUri };
  });

  afterAll(async () => {
    await browser.close();
    await Promise.all([mailing.close(), listening.close()]);
  });

  beforeEach(async () => {
    context = await browser.newContext({ reducedMotion: 'reduce' });
    page = await context.newPage();
  });

  afterEach(() => context.close());

  /** A page on another site (`localhost` differs from `127.0.0.1`) that navigates to the path by itself. */
  async function followFromElsewhere(path: string): Promise<void> {
    await page.goto(listening.origin.replace('127.0.0.1', 'localhost'));
    await page.evaluate(`location.href = ${JSON.stringify(`${world.baseUrl}${path}`)}`);
    await page.waitForURL(`${world.baseUrl}/**`);
  }

  async function fillIn(user: TestUser): Promise<void> {
    await page.fill('#email', user.email);
    await page.fill('#password', user.password);
    await page.click('button.wide:not(.quiet)');
  }

  const impersonations = () =>
    world.sql(`SELECT 1 FROM audit_entries WHERE action = 'impersonation.started' AND tenant_id = $1`, [tenant.id]);

  // security 91
  it('to /console/impersonate shows a form to an admin who signs in on the way, and does not start acting as the tenant', async () => {
    await followFromElsewhere(`/console/impersonate/${tenant.id}?reason=because`);
    await fillIn(world.admin);
    await page.waitForURL(/\/console\/impersonate\//);
    expect(await page.locator('h1').innerText()).toBe('Impersonate Acme?');
    expect([await page.locator('.impersonation').count(), await impersonations()]).toEqual([0, []]);
    await page.click('text=Impersonate tenant');
    await page.waitForSelector('.impersonation');
    expect(await impersonations()).toHaveLength(1);
  });

  it('to /console/select-tenant shows a confirmation to an admin who signs in on the way, and does not switch the tenant', async () => {
    await followFromElsewhere(`/console/select-tenant/${tenant.id}`);
    await fillIn(world.admin);
    await page.waitForURL(/\/console\/select-tenant\//);
    expect(await page.locator('h1').innerText()).toBe('Switch to Acme?');
    expect((await context.cookies()).map(({ name }) => name)).not.toContain('tenant');
    await page.click('button:has-text("Switch")');
    await page.waitForURL(/\/console\/tenant$/);
  });

  // security 22
  it('to a magic link of another user shows a form with both users, and does not sign in by itself', async () => {
    const [victim, attacker] = [await world.user(app), await world.user(app)];
    await page.goto(`${world.baseUrl}${loginPath(app)}`);
    await fillIn(victim);
    await page.waitForURL(/\/callback\?code=/);
    const ssoOf = async () => (await context.cookies(world.baseUrl)).find(({ name }) => name === 'sso')?.value;
    const before = await ssoOf();
    await world.call('POST', '/auth/magic-link/request', { email: attacker.email, app_id: app.id });
    const { token } = linkIn(await mailing.smtp.next(attacker.email, 'Your sign-in link'));
    await followFromElsewhere(`/auth/magic-link/verify?token=${token}`);
    await page.waitForURL(/\/magic-link\?/);
    expect(await page.locator('.notice.warning').innerText()).toContain(`You are signed in here as ${victim.email}`);
    await expectGoodAppearance(page, 'magic link, signed in as another user');
    expect(await ssoOf()).toBe(before);
    await page.click(`text=Continue as ${attacker.email}`);
    await page.waitForURL(/\/callback\?code=/);
    expect(await ssoOf()).not.toBe(before);
  });
});
