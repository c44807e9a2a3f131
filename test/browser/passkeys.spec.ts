import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from '../support/chromium.js';
import { loginPath } from '../support/hosted-page.js';
import { type ListeningApp, startListeningApp } from '../support/listening-app.js';
import { expectGoodAppearance, expectSteady } from '../support/page-appearance.js';
import { newInvite } from '../support/invites.js';
import { newAddress } from '../support/new-user.js';
import { passkeySettings } from '../support/passkeys.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { eventually } from '../support/wait.js';
import { VirtualAuthenticator } from '../support/virtual-authenticator.js';
import { type TestUser, type TestClient, World } from '../support/world.js';

describe('Passkeys in a browser', () => {
  let service: TestApp;
  let world: World;
  let browser: Browser;
  let app: TestClient;
  let listening: ListeningApp;
  let page: Page;
  let device: VirtualAuthenticator;

  beforeAll(async () => {
    const settings = await passkeySettings();
    [service, browser, listening] = await Promise.all([startTestApp({ settings }), openBrowser(), startListeningApp()]);
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    const { redirectUri } = listening;
    const config = { redirect_uris: [redirectUri], allowed_providers: ['password', 'magic_link', 'passkey'] };
    app = { ...(await world.app(await world.tenant(), { config })), redirectUri };
  });

  afterAll(async () => {
    await browser.close();
    await world.close();
    await Promise.all([service.close(), listening.close()]);
  });

  beforeEach(async () => {
    page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage();
    device = await VirtualAuthenticator.plugIn(page);
  });

  afterEach(() => page.context().close());

  const arrival = () => page.waitForURL(/\/callback\?code=/);
  /** On a device without passkeys of other users, and signed out again. */
  const addPasskey = async (at = app) => {
    const user = await world.user(at);
    await visitAccount(user);
    await page.goto(`${service.baseUrl}/account/passkeys/new`);
    await page.click('[data-passkey-button]');
    await page.waitForURL(/done=passkey-added/);
    await page.context().clearCookies();
    return user;
  };
  /** The suggestions of the next page are answered, those of the pages after it are not. */
  const touchOnce = () =>
    page.route(/\/passkey$/, async (route) => {
      await device.touches(false);
      await route.continue();
    });
  const visitAccount = async (user: TestUser) => {
    await page.goto(`${service.baseUrl}/account`);
    await page.fill('#email', user.email);
    await page.fill('#password', user.password);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${service.baseUrl}/account`);
  };

  it('are created by the keyboard, on a page that looks good', async () => {
    await visitAccount(await world.user(app));
    await page.focus('a[href="/account/passkeys/new"]');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[data-passkey-button]:visible');
    await expectGoodAppearance(page, 'Add a passkey');
    expect(await page.locator('[data-passkey-unsupported]').isVisible()).toBe(false);
    await page.focus('[data-passkey-button]');
    await page.keyboard.press('Enter');
    await page.waitForURL(/done=passkey-added/);
    expect(await device.credentials()).toHaveLength(1);
    await page.click('a[href^="/account/passkeys/"]:not([href$="new"])');
    await expectGoodAppearance(page, 'Your passkey');
  });

  it('are not created twice on one device, or when the user cancels; the page says why', async () => {
    await visitAccount(await world.user(app));
    const create = async () => {
      await page.goto(`${service.baseUrl}/account/passkeys/new`);
      await page.click('[data-passkey-button]');
    };
    await create();
    await page.waitForURL(/done=passkey-added/);
    await create();
    await page.waitForSelector('text=This device already has a passkey');
    await device.refuse();
    await create();
    await page.waitForSelector('text=Nothing was added');
  });

  it('sign in from the suggestions of the address field, without a word typed', async () => {
    await addPasskey();
    await page.goto(`${service.baseUrl}${loginPath(app)}`);
    await arrival();
  });

  it('sign in by the button and the keyboard, after the suggestions were left alone', async () => {
    await addPasskey();
    await device.touches(false);
    await page.goto(`${service.baseUrl}${loginPath(app)}`);
    await page.waitForSelector('[data-passkey-get] [data-passkey-button]:visible');
    await expectSteady(page, 'Sign in with a passkey');
    await expectGoodAppearance(page, 'Sign in with a passkey');
    await device.touches(true);
    await page.focus('[data-passkey-button]');
    await page.keyboard.press('Enter');
    await arrival();
  });

  it('say on the page what to do after a cancelled ceremony, and when the passkey was removed', async () => {
    const user = await addPasskey();
    await world.sql('DELETE FROM passkeys WHERE user_id = $1', [user.id]);
    await touchOnce();
    await page.goto(`${service.baseUrl}${loginPath(app)}`);
    await page.waitForSelector('text=This passkey doesn’t belong to an account here');
    // The page tells the device, which forgets it (WebAuthn Level 3, signalUnknownCredential).
    await eventually('the device has no passkey', async () => (await device.credentials()).length === 0);
    await expectGoodAppearance(page, 'A passkey that was refused');
    await page.click('text=Other ways to sign in');
    await page.waitForSelector('#password');
    await device.refuse();
    await device.touches(true);
    await page.click('[data-passkey-button]');
    await page.waitForSelector('text=You cancelled, or it took too long');
  });

  // WebAuthn Level 3, signalAllAcceptedCredentials.
  it('are forgotten by the device once the account no longer has them', async () => {
    const user = await addPasskey();
    expect(await device.credentials()).toHaveLength(1);
    await world.sql('DELETE FROM passkeys WHERE user_id = $1', [user.id]);
    await device.touches(false);
    await visitAccount(user);
    await eventually('the device has no passkey', async () => (await device.credentials()).length === 0);
  });

  it('are offered after the password, on a page that looks good, and created by the keyboard', async () => {
    const { redirectUri } = listening;
    const config = { redirect_uris: [redirectUri], allowed_providers: ['password', 'passkey'] };
    const offering = { ...(await world.app(await world.tenant({ offer_passkeys: true }), { config })), redirectUri };
    const user = await world.user(offering);
    await device.touches(false);
    await page.goto(`${service.baseUrl}${loginPath(offering)}`);
    await page.fill('#email', user.email);
    await page.fill('#password', user.password);
    await page.keyboard.press('Enter');
    await page.waitForSelector('[data-passkey-upgrade] [data-passkey-button]:visible');
    await expectGoodAppearance(page, 'The offer of a passkey');
    await device.touches(true);
    await page.focus('[data-passkey-upgrade] [data-passkey-button]');
    await page.keyboard.press('Enter');
    await arrival();
    expect(await device.credentials()).toHaveLength(1);
  });

  it('create an account by the keyboard, without a password, on a page that looks good', async () => {
    const { redirectUri } = listening;
    const appWith = async (allowed_providers: string[]) => {
      const config = { redirect_uris: [redirectUri], allowed_providers };
      return { ...(await world.app(await world.tenant(), { registration_policy: 'open', config })), redirectUri };
    };
    const open = async (at: TestClient) => {
      await page.goto(`${service.baseUrl}${loginPath(at, { prompt: 'create' })}`);
      await page.waitForSelector('[data-passkey-sign-up] [data-passkey-button]:visible');
    };
    await open(await appWith(['password', 'passkey']));
    await expectGoodAppearance(page, 'Sign-up with a passkey beside the password');
    await page.click('[data-passkey-button]');
    await page.waitForSelector('text=Enter your name');
    await page.fill('#email', newAddress());
    await page.fill('#display_name', 'Grace');
    await device.refuse();
    await page.click('[data-passkey-button]');
    await page.waitForSelector('text=No account was created: you cancelled');
    await device.accept();
    await page.focus('[data-passkey-button]');
    await page.keyboard.press('Enter');
    await arrival();
    expect(await device.credentials()).toHaveLength(1);
    await page.context().clearCookies();
    await open(await appWith(['passkey']));
    await expectGoodAppearance(page, 'Sign-up with a passkey only');
    await page.fill('#email', newAddress());
    await page.fill('#display_name', 'Grace');
    await page.keyboard.press('Enter');
    await arrival();
  });

  it('create an account by an invite, by the keyboard, on a page that looks good', async () => {
    const { redirectUri } = listening;
    const config = { redirect_uris: [redirectUri], allowed_providers: ['passkey'] };
    const inviting = { ...(await world.app(await world.tenant(), { config })), redirectUri };
    const { code } = await newInvite(world, inviting);
    await page.goto(`${service.baseUrl}${loginPath(inviting)}`);
    await page.click('a[href$=invited_sign_up]');
    await page.waitForSelector('[data-passkey-sign-up] [data-passkey-button]:visible');
    await expectGoodAppearance(page, 'Sign-up by an invite with a passkey');
    await page.fill('#code', code);
    await page.fill('#email', newAddress());
    await page.fill('#display_name', 'Grace');
    await page.keyboard.press('Enter');
    await arrival();
    expect(await device.credentials()).toHaveLength(1);
  });

  const signInWithPassword = async (user: TestUser, parameters: Record<string, string> = {}, at = app) => {
    await page.goto(`${service.baseUrl}${loginPath(at, parameters)}`);
    await page.fill('#email', user.email);
    await page.fill('#password', user.password);
    await page.keyboard.press('Enter');
  };

  it('are shown beside the code as a second factor, and by the keyboard when an app asks for more', async () => {
    const user = await addPasskey();
    await device.touches(false);
    await signInWithPassword(user);
    await arrival();
    await page.goto(`${service.baseUrl}${loginPath(app, { acr_values: 'phr' })}`);
    await page.waitForSelector('[data-passkey-get] [data-passkey-button]:visible');
    await expectGoodAppearance(page, 'A passkey that an app asks for');
    await device.touches(true);
    await page.focus('[data-passkey-button]');
    await page.keyboard.press('Enter');
    await arrival();
    await page.context().clearCookies();
    await world.sql('UPDATE users SET totp_enabled_at = now() WHERE id = $1', [user.id]);
    await device.touches(false);
    await signInWithPassword(user);
    await page.waitForSelector('#code');
    await page.waitForSelector('[data-passkey-button]:visible');
    await expectGoodAppearance(page, 'The second factor, code and passkey');
    await device.touches(true);
    await page.click('[data-passkey-button]');
    await arrival();
  });

  it('are lost: the page says what to do, and begins the wait by the keyboard', async () => {
    const { redirectUri } = listening;
    const config = { redirect_uris: [redirectUri], allowed_providers: ['password', 'passkey'], require_2fa: true };
    const demanding = {
      ...(await world.app(await world.tenant({ passkey_recovery_days: 7 }), { config })),
      redirectUri,
    };
    const user = await addPasskey(demanding);
    await world.sql('UPDATE users SET email_verified = true WHERE id = $1', [user.id]);
    await device.touches(false);
    await signInWithPassword(user, {}, demanding);
    await page.click('text=Lost your passkey?');
    await page.waitForSelector('text=after 7 days');
    await expectGoodAppearance(page, 'Lost passkeys');
    await page.focus('button:has-text("Start the waiting period")');
    await page.keyboard.press('Enter');
    await page.waitForSelector('text=in 7 days');
    await expectGoodAppearance(page, 'Lost passkeys, waiting');
  });

  it('are kept on two devices, each of which signs in', async () => {
    const user = await addPasskey();
    await device.touches(false);
    const key = await VirtualAuthenticator.plugIn(page, 'usb');
    await visitAccount(user);
    await page.goto(`${service.baseUrl}/account/passkeys/new`);
    await page.click('[data-passkey-button]');
    await page.waitForURL(/done=passkey-added/);
    await expectGoodAppearance(page, 'The account page with two passkeys');
    expect([(await device.credentials()).length, (await key.credentials()).length]).toEqual([1, 1]);
    for (const [used, other] of [
      [key, device],
      [device, key],
    ] as const) {
      await page.context().clearCookies();
      await Promise.all([used.touches(true), other.touches(false)]);
      await page.goto(`${service.baseUrl}${loginPath(app)}`);
      await arrival();
    }
    const counts = await world.sql<{ used: boolean }>(
      'SELECT last_used_at IS NOT NULL AS used FROM passkeys WHERE user_id = $1',
      [user.id],
    );
    expect(counts).toEqual([{ used: true }, { used: true }]);
  });

  // Browsers find a passkey that is not named only on a device that verifies its owner.
  it('without a screen lock are a second factor after the password, and no first one', async () => {
    const { redirectUri } = listening;
    const config = { redirect_uris: [redirectUri], allowed_providers: ['password', 'passkey'], require_2fa: true };
    const demanding = { ...(await world.app(await world.tenant(), { config })), redirectUri };
    const user = await addPasskey(demanding);
    await device.withoutScreenLock();
    expect(await device.credentials()).toHaveLength(1);
    await page.goto(`${service.baseUrl}${loginPath(demanding)}`);
    await page.click('[data-passkey-button]');
    await page.waitForSelector('text=You cancelled, or it took too long');
    await signInWithPassword(user, {}, demanding);
    await page.click('[data-passkey-get] [data-passkey-button]');
    await arrival();
  });

  it('say on the page that it took too long, and try again', async () => {
    await addPasskey();
    // The address field would ask again by itself, and sign in before the button is clicked.
    await page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false)');
    await device.touches(false);
    await page.route(/\/passkey\/options$/, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...((await response.json()) as object), timeout: 100 } });
    });
    await page.goto(`${service.baseUrl}${loginPath(app)}`);
    await page.click('[data-passkey-button]');
    await page.waitForSelector('text=You cancelled, or it took too long');
    await device.touches(true);
    await page.unroute(/\/passkey\/options$/);
    await page.click('[data-passkey-button]');
    await arrival();
  });

  it('leave a page without JavaScript as it was', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const plain = await context.newPage();
    await plain.goto(`${service.baseUrl}${loginPath(app)}`);
    expect(await plain.locator('#password').isVisible()).toBe(true);
    expect(await plain.locator('[data-passkey-button]').isVisible()).toBe(false);
    await context.close();
  });
});
