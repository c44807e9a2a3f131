import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { withStandInProviders } from '../../src/embedded/dev/provider/stand-in-settings.js';
import { openBrowser } from '../support/chromium.js';
import { freePort } from '../support/free-port.js';
import { loginPath } from '../support/hosted-page.js';
import { newInvite } from '../support/invites.js';
import { type ListeningApp, startListeningApp } from '../support/listening-app.js';
import { expectGoodAppearance } from '../support/page-appearance.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../support/test-database.js';
import { testSettings } from '../support/test-settings.js';
import { type TestClient, type TestTenant, unique, World } from '../support/world.js';

const PROVIDERS = ['google', 'microsoft', 'github', 'apple'];

describe('External providers in a browser', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let listening: ListeningApp;
  let app: TestClient;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    [database, listening, browser] = await Promise.all([freshDatabase(), startListeningApp(), openBrowser()]);
    const port = await freePort();
    const where = { host: '127.0.0.1', port, baseUrl: `http://127.0.0.1:${port}`, databaseUrl: database.url };
    const { providers } = withStandInProviders(testSettings({ ...where, embedded: true }));
    service = await startTestApp({ settings: { ...where, providers, embedded: true } });
    world = await World.open(service.baseUrl, database.url);
    tenant = await world.tenant();
    app = await makeApp('open', ['password', 'magic_link', ...PROVIDERS]);
  });

  afterAll(async () => {
    await browser.close();
    await world.close();
    await Promise.all([service.close(), listening.close()]);
    await database.drop();
  });

  beforeEach(async () => {
    page = await browser.newPage({ reducedMotion: 'reduce' });
  });

  afterEach(() => page.close());

  const makeApp = async (registration_policy: string, allowed_providers: string[]): Promise<TestClient> => {
    const { redirectUri } = listening;
    const config = { redirect_uris: [redirectUri], allowed_providers };
    return { ...(await world.app(tenant, { registration_policy, config })), redirectUri };
  };

  const open = (to = app, parameters: Record<string, string> = {}) =>
    page.goto(`${service.baseUrl}${loginPath(to, { state: 'mine', ...parameters })}`);

  const standInFor = async (label: string, email: string) => {
    await page.getByRole('link', { name: `Continue with ${label}` }).click();
    await page.getByLabel('E-mail address').fill(email);
    await page.getByRole('button', { name: 'Sign in as this user' }).click();
  };

  const arrival = () => page.waitForURL(/\/callback\?code=[\w-]{43}&state=mine$/);

  it.each(['Google', 'Microsoft', 'GitHub'])('sign in a user with %s, and put it first as last used', async (label) => {
    await open();
    await standInFor(label, `${unique()}@example.com`);
    await arrival();
    await open(app, { prompt: 'login' });
    const last = page.getByRole('link', { name: `Continue with ${label}`, exact: true });
    expect(await last.getAttribute('aria-describedby')).toBe('last-used');
    expect(await page.getByText('Last used').count()).toBe(1);
    // First on the page, and focused: a user who has no password must not land in that field.
    expect(await page.locator('.card .provider, .card .field input').first().innerText()).toContain(label);
    expect(await page.locator(':focus').innerText()).toContain(`Continue with ${label}`);
  });

  it('sign in a user with Apple, which posts its response across sites', async () => {
    await open();
    await standInFor('Apple', `${unique()}@example.com`);
    await page.getByRole('button', { name: 'Continue' }).click();
    await arrival();
  });

  it('show their logos without a request to another host', async () => {
    const hosts = new Set<string>();
    page.on('request', (request) => hosts.add(new URL(request.url()).host));
    await open();
    expect([...hosts]).toEqual([new URL(service.baseUrl).host]);
    expect(await page.locator('.provider svg').count()).toBe(4);
  });

  it('look good on the sign-in page: all four, without passwords, and after a failure', async () => {
    await open();
    await expectGoodAppearance(page, 'sign-in with four providers');
    await page.getByRole('link', { name: 'Continue with Google' }).click();
    await expectGoodAppearance(page, 'stand-in');
    const url = new URL(page.url());
    const state = url.searchParams.get('state')!;
    await page.goto(`${service.baseUrl}/oauth/google/callback?error=access_denied&state=${state}`);
    expect(await page.getByRole('alert').innerText()).toContain('You were not signed in with Google');
    await expectGoodAppearance(page, 'sign-in after a failure at the provider');
    await open(await makeApp('open', PROVIDERS));
    expect(await page.getByLabel('Password').count()).toBe(0);
    await expectGoodAppearance(page, 'sign-in with providers alone');
    await open(await makeApp('open', ['magic_link', ...PROVIDERS]));
    await expectGoodAppearance(page, 'sign-in with links and providers');
    const used = page.url();
    expect(used).toContain('/login');
  });

  it('fit into 650 px with a password, a link, sign-up and two providers, which are named in full to those who listen', async () => {
    const two = await makeApp('open', ['password', 'magic_link', 'google', 'github']);
    await page.setViewportSize({ width: 1280, height: 800 });
    await open(two);
    const card = () => page.locator('.card').boundingBox();
    expect((await card())!.height).toBeLessThanOrEqual(650);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    expect((await card())!.height).toBeLessThanOrEqual(650);
    const [google, github] = await Promise.all(
      ['Google', 'GitHub'].map((label) => page.getByRole('link', { name: `Continue with ${label}` }).boundingBox()),
    );
    expect([google!.y, google!.width, google!.height]).toEqual([github!.y, github!.width, 44]);
    await expectGoodAppearance(page, 'sign-in with two providers');
    await open(await makeApp('open', ['password', 'google']));
    expect(await page.locator('.card .provider-name').innerText()).toBe('Continue with Google');
  });

  it('explain an account that is not linked, and link it after a sign-in', async () => {
    const user = await world.user(app, { email_verified: false });
    await open();
    await standInFor('Google', user.email);
    await page.getByRole('heading', { name: 'You have an account already' }).waitFor();
    await expectGoodAppearance(page, 'account not linked');
    await page.getByRole('link', { name: 'Sign in another way' }).click();
    await page.getByLabel('E-mail address').fill(user.email);
    await page.getByRole('textbox', { name: 'Password' }).fill(user.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await arrival();
    await page.goto(`${service.baseUrl}/oauth/google/start?link=1`);
    await expectGoodAppearance(page, 'confirm a link');
    await page.getByRole('button', { name: 'Continue to Google' }).click();
    await page.getByLabel('E-mail address').fill(user.email);
    await page.getByRole('button', { name: 'Sign in as this user' }).click();
    await page.waitForURL(/\/account/);
    expect(await world.sql('SELECT provider FROM linked_accounts WHERE user_id = $1', [user.id])).toEqual([
      { provider: 'google' },
    ]);
  });

  it('let a user join an app with an invite', async () => {
    const inviting = await makeApp('invite', ['google']);
    const { code } = await newInvite(world, inviting);
    const query = new URLSearchParams({ app_id: inviting.id, invite_code: code, state: 'mine' });
    await page.goto(`${service.baseUrl}/oauth/google/start?${query.toString()}`);
    await page.getByLabel('E-mail address').fill(`grace.hopper-${unique()}@example.com`);
    await page.getByRole('button', { name: 'Sign in as this user' }).click();
    await page.getByRole('heading', { name: /^Join / }).waitFor();
    await expectGoodAppearance(page, 'invite with a provider');
    await page.getByRole('button', { name: 'Accept invitation' }).click();
    await arrival();
  });
});
