import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from '../support/chromium.js';
import { loginPath } from '../support/hosted-page.js';
import { authorizationPath } from '../support/openid-sign-in.js';
import { mailedInvite, newInvite } from '../support/invites.js';
import { type ListeningApp, startListeningApp } from '../support/listening-app.js';
import { expectGoodAppearance } from '../support/page-appearance.js';
import { type MailingService, startMailingService } from '../support/mailing-service.js';
import { newAddress } from '../support/new-user.js';
import { PKCE } from '../support/one-time-code.js';
import { PASSWORD, type TestUser, type TestClient, type TestTenant, type World } from '../support/world.js';

const LONG = 'Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz';

describe('Joining an app in a browser', () => {
  let mailing: MailingService;
  let world: World;
  let browser: Browser;
  let listening: ListeningApp;
  let tenant: TestTenant;
  let page: Page;

  beforeAll(async () => {
    [mailing, browser, listening] = await Promise.all([startMailingService(), openBrowser(), startListeningApp()]);
    ({ world } = mailing);
    tenant = await world.tenant({ name: 'Acme' });
  });

  afterAll(async () => {
    await browser.close();
    await Promise.all([mailing.close(), listening.close()]);
  });

  beforeEach(async () => {
    page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage();
  });

  const appWith = (fields: Record<string, unknown> = {}, config: Record<string, unknown> = {}): Promise<TestClient> =>
    world
      .app(tenant, { ...fields, config: { redirect_uris: [listening.redirectUri], ...config } })
      .then((app) => ({ ...app, redirectUri: listening.redirectUri }));
  const open = (path: string) => page.goto(`${world.baseUrl}${path}`);
  const heading = () => page.locator('h1').innerText();
  const press = async (name: string | RegExp) => {
    await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name }).click()]);
  };
  const signIn = async (app: TestClient, user: TestUser, parameters: Record<string, string> = {}) => {
    await open(loginPath(app, parameters));
    await page.fill('#email', user.email);
    await page.fill('#password', user.password);
    await press('Sign in');
  };
  const mailedTo = async (email: string, app: { id: string }, fields: Record<string, unknown> = {}) =>
    (await mailedInvite(mailing, app, email, fields)).code;

  it('leads from a mailed invite to a new account and to the app', async () => {
    const app = await appWith({ name: 'Shop' });
    const email = newAddress();
    await open(`/invite?code=${await mailedTo(email, app, { roles: ['manager'] })}`);
    expect(await heading()).toBe('You are invited');
    await expectGoodAppearance(page, 'invitation');
    await press('Create an account');
    expect(await heading()).toBe('Create an account');
    expect(await page.inputValue('#email')).toBe(email);
    await expectGoodAppearance(page, 'invited sign-up');
    await press('Create account');
    await page.waitForSelector('.field-error');
    await expectGoodAppearance(page, 'invited sign-up with errors');
    await page.fill('#display_name', 'Grace');
    await page.fill('#password', PASSWORD);
    await press('Create account');
    await page.waitForURL(/\/callback\?code=/);
    const [row] = await world.sql(
      'SELECT u.email_verified, e.roles FROM users u JOIN enrollments e ON e.user_id = u.id WHERE u.email = $1',
      [email],
    );
    expect(row).toEqual({ email_verified: true, roles: ['user', 'manager'] });
  });

  it('leads from a mailed invite through an existing account to the app', async () => {
    const app = await appWith();
    const user = await world.user(await appWith());
    await open(`/invite?code=${await mailedTo(user.email, app)}`);
    await press('I have an account');
    await page.fill('#password', user.password);
    await press('Sign in');
    expect(await heading()).toBe('Your invitation');
    await expectGoodAppearance(page, 'invite that was brought');
    await press('Accept invitation');
    await page.waitForURL(/\/callback\?code=/);
    await open(`/invite?code=${await mailedTo(user.email, await appWith())}`);
    expect(await page.getByRole('button', { name: `Continue as ${user.email}` }).isVisible()).toBe(true);
    await expectGoodAppearance(page, 'invitation, signed in');
    await press(/^Continue as/);
    await press('Continue without the invitation');
    expect(await heading()).toBe('You need an invitation');
  });

  it('sends a request for access and shows that it is waiting', async () => {
    const user = await world.user(await appWith());
    await signIn(await appWith({ registration_policy: 'approval' }), user);
    expect(await heading()).toBe('Request access');
    await expectGoodAppearance(page, 'request access');
    await page.fill('#message', 'x'.repeat(1001));
    await press('Request access');
    await page.waitForSelector('.field-error');
    await expectGoodAppearance(page, 'request access with errors');
    await page.fill('#message', 'I am new in sales.');
    await press('Request access');
    expect(await heading()).toBe('Your request is pending');
    await expectGoodAppearance(page, 'waiting');
  });

  it('asks for an invite code where one is required, and explains an invalid code', async () => {
    const app = await appWith();
    await signIn(app, await world.user(await appWith()));
    expect(await heading()).toBe('You need an invitation');
    await expectGoodAppearance(page, 'invite');
    await page.fill('#code', 'nonsense');
    await press('Accept invitation');
    await page.waitForSelector('.field-error');
    await expectGoodAppearance(page, 'invite with errors');
    await page.fill('#code', (await newInvite(world, app)).code);
    await press('Accept invitation');
    await page.waitForURL(/\/callback\?code=/);
  });

  it('offers invite sign-up on the sign-in page, with and without passwords', async () => {
    for (const config of [{}, { allowed_providers: ['magic_link'] }]) {
      await open(loginPath(await appWith({}, config)));
      await expectGoodAppearance(page, 'sign in at an app that invites');
      await page.getByRole('link', { name: 'Enter your invitation code' }).click();
      await page.waitForSelector('h1:text-is("Create an account")');
      await expectGoodAppearance(page, 'invited sign-up');
    }
  });

  it('looks good with very long names, and for an app without a redirect URI', async () => {
    const long = await world.tenant({ name: LONG });
    const fields = { name: `${LONG} ${LONG}`, config: { available_roles: ['user', 'x'.repeat(64), 'y'.repeat(64)] } };
    const email = `${'long-'.repeat(10)}@${'address-'.repeat(7)}example.com`;
    const code = await mailedTo(email, await world.app(long, fields), { roles: ['x'.repeat(64), 'y'.repeat(64)] });
    await world.sql('UPDATE users SET display_name = $2 WHERE id = $1', [world.admin.id, LONG.repeat(3)]);
    await open(`/invite?code=${code}`);
    await expectGoodAppearance(page, 'invitation without end');
    const nowhere = await world.app(long, { name: LONG, config: { redirect_uris: [] } });
    await open(`/invite?code=${(await newInvite(world, nowhere)).code}`);
    await expectGoodAppearance(page, 'invitation to an app without an address');
    const approval = await world.app(long, { ...fields, registration_policy: 'approval' });
    await signIn(approval, await world.user());
    await expectGoodAppearance(page, 'request access without end');
    await page.getByRole('link', { name: 'Enter your invitation code' }).click();
    await expectGoodAppearance(page, 'invite without end');
  });

  it('explains that an invite no longer works', async () => {
    await open('/invite?code=0000000000000');
    expect(await heading()).toBe('This invitation no longer works');
    await expectGoodAppearance(page, 'spent invitation');
  });

  it('leads through the consent to an app of another company, scope by scope, and back without it', async () => {
    const app = await appWith({ name: 'Report builder' }, { third_party: true, require_pkce: false });
    const user = await world.user(app);
    await signIn(app, user, { response_type: 'code', scope: 'openid profile email offline_access' });
    expect(await heading()).toBe('Allow access?');
    await expectGoodAppearance(page, 'consent');
    await press(/^Allow$/);
    await page.waitForURL(/code=/);
    await open(loginPath(app, { response_type: 'code', scope: 'openid', prompt: 'consent' }));
    await press('Don’t allow');
    await page.waitForURL(/error=access_denied/);
  });

  it('says of a client that registered itself what it calls itself, and where it leads', async () => {
    const identifier = 'https://notes.example.com/mcp';
    const resources = [{ identifier, name: 'Notes', scopes: ['notes:read'], token_lifetime_minutes: 5 }];
    const other = await world.tenant({ name: 'Acme', client_registration: true, resources });
    const user = await world.user(await world.app(other));
    const { body } = await world.call<{ client_id: string }>('POST', '/auth/register', {
      redirect_uris: [listening.redirectUri, 'https://reader.example/callback'],
      client_name: LONG,
    });
    const client = { ...(await world.app(other)), id: body.client_id, redirectUri: listening.redirectUri };
    await open(authorizationPath(client, { scope: 'openid notes:read offline_access', resource: identifier, ...PKCE }));
    await page.fill('#email', user.email);
    await page.fill('#password', user.password);
    await press('Sign in');
    expect(await heading()).toBe('Allow access?');
    expect(await page.locator('.lead').innerText()).toContain(`An app that calls itself “${LONG}”`);
    await expectGoodAppearance(page, 'consent for a client that registered itself');
    await press(/^Allow$/);
    await page.waitForURL(/code=/);
    await open('/account');
    await expectGoodAppearance(page, 'account with a client that registered itself');
  });
});
