import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from '../support/chromium.js';
import { beginDevice, deviceApp, pollDevice } from '../support/device-grant.js';
import { loginPath } from '../support/hosted-page.js';
import { type ListeningApp, startListeningApp } from '../support/listening-app.js';
import { sharedTestApp, type SharedTestApp } from '../support/test-app.js';
import { type TestUser, type TestClient, World } from '../support/world.js';

describe('Hosted sign-in page', () => {
  let service: SharedTestApp;
  let world: World;
  let browser: Browser;
  let listening: ListeningApp;
  let app: TestClient;
  let user: TestUser;
  let page: Page;

  beforeAll(async () => {
    [service, browser, listening] = await Promise.all([sharedTestApp(), openBrowser(), startListeningApp()]);
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    const { redirectUri } = listening;
    app = { ...(await world.app(await world.tenant(), { config: { redirect_uris: [redirectUri] } })), redirectUri };
  });

  afterAll(async () => {
    await browser.close();
    await world.close();
    await listening.close();
  });

  beforeEach(async () => {
    user = await world.user(app);
    page = await browser.newPage({ reducedMotion: 'reduce' });
  });

  afterEach(() => page.close());

  const open = (on = page) => on.goto(`${service.baseUrl}${loginPath(app, { state: 'a b' })}`);

  const arrival = (on = page) => on.waitForURL(/\/callback\?code=[\w-]{43}&state=a%20b$/);

  it('works with the keyboard alone', async () => {
    await open();
    expect(await page.locator(':focus').getAttribute('id')).toBe('email');
    await page.keyboard.type(user.email);
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').getAttribute('id')).toBe('password');
    await page.keyboard.type(user.password);
    await page.keyboard.press('Enter');
    await arrival();
  });

  it('makes every control reachable with the keyboard in page order', async () => {
    await open();
    const reached: string[] = [];
    await page.locator('a.skip').focus();
    for (let i = 0; i < 7; i++) {
      reached.push((await page.locator(':focus').innerText()) || (await page.locator(':focus').getAttribute('id'))!);
      await page.keyboard.press('Tab');
    }
    expect(reached).toEqual([
      'Skip to the content',
      'email',
      'password',
      'Show',
      'Sign in',
      'E-mail me a link',
      'Forgot password?',
    ]);
  });

  it('works without JavaScript and hides controls that need it', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const plain = await context.newPage();
    await open(plain);
    expect(await plain.locator('[data-show-password]').isVisible()).toBe(false);
    await plain.fill('#email', user.email);
    await plain.fill('#password', 'not the password');
    await plain.click('button.wide:not(.quiet)');
    await plain.waitForSelector('#password-line:has-text("Incorrect")');
    expect(await plain.locator('#password-line').innerText()).toBe('Incorrect e-mail address or password. Try again.');
    expect(await plain.locator(':focus').getAttribute('id')).toBe('password');
    await plain.fill('#password', user.password);
    await plain.click('button.wide:not(.quiet)');
    await arrival(plain);
    await context.close();
  });

  it('lets a device in with the keyboard alone and without JavaScript', async () => {
    const living = await deviceApp(world, { id: app.tenantId, name: '', consoleAppId: '' });
    const viewer = await world.user(living);
    for (const javaScriptEnabled of [true, false]) {
      const device = await beginDevice(world, living);
      const context = await browser.newContext({ javaScriptEnabled, reducedMotion: 'reduce' });
      const phone = await context.newPage();
      await phone.goto(device.verification_uri);
      expect(await phone.locator(':focus').getAttribute('id')).toBe('user_code');
      await phone.keyboard.type(device.user_code.toLowerCase().replace('-', ' '));
      await phone.keyboard.press('Enter');
      await phone.waitForSelector('#password');
      await phone.keyboard.type(viewer.email);
      await phone.keyboard.press('Tab');
      await phone.keyboard.type(viewer.password);
      await phone.keyboard.press('Enter');
      await phone.waitForSelector('.user-code');
      expect(await phone.locator('.user-code strong').innerText()).toBe(device.user_code);
      await phone.locator('a.skip').focus();
      for (let tabs = 0; tabs < 20; tabs++) {
        if ((await phone.locator(':focus').getAttribute('value')) === 'allow') break;
        await phone.keyboard.press('Tab');
      }
      await phone.keyboard.press('Enter');
      await phone.getByText('Go back to your device.').waitFor();
      expect((await pollDevice(service.baseUrl, living, device.device_code)).status).toBe(200);
      await context.close();
    }
  });

  it('shows an error beside the field, focuses the field and moves nothing', async () => {
    await open();
    const places = async () =>
      Promise.all(
        ['.card', 'h1', '#email', '#password', 'button.wide:not(.quiet)'].map((what) =>
          page.locator(what).boundingBox(),
        ),
      );
    const before = await places();
    await page.fill('#email', user.email);
    await page.fill('#password', 'not the password');
    await page.click('button.wide:not(.quiet)');
    await page.waitForSelector('.field-error');
    expect(await places()).toEqual(before);
    expect(await page.locator('#password-line').innerText()).toBe('Incorrect e-mail address or password. Try again.');
    expect(await page.locator('#password').getAttribute('aria-invalid')).toBe('true');
    expect(await page.locator('#email').inputValue()).toBe(user.email);
    expect(await page.locator('#password').inputValue()).toBe('');
    expect(await page.locator(':focus').getAttribute('id')).toBe('password');
    expect(await page.locator('.error-summary').count()).toBe(0);
  });

  it('moves nothing on a phone after an error', async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    await open();
    const place = () => page.locator('button.wide:not(.quiet)').boundingBox();
    const before = await place();
    await page.click('button.wide:not(.quiet)');
    await page.waitForSelector('.field-error');
    expect(await place()).toEqual(before);
  });

  it('shows and hides the password, and never submits it as visible text', async () => {
    await open();
    await page.fill('#password', 'secret');
    const password = page.locator('#password');
    await page.getByRole('button', { name: 'Show password' }).click();
    expect(await password.getAttribute('type')).toBe('text');
    expect(await page.locator(':focus').getAttribute('id')).toBe('password');
    await page.getByRole('button', { name: 'Hide password' }).click();
    expect(await password.getAttribute('type')).toBe('password');
    await page.getByRole('button', { name: 'Show password' }).click();
    await page.evaluate(`document.forms[0].addEventListener('submit', (event) => event.preventDefault())`);
    await page.click('button.wide:not(.quiet)');
    expect(await password.getAttribute('type')).toBe('password');
  });

  it('shows a hint while Caps Lock is on', async () => {
    await open();
    const hint = page.locator('[data-caps-lock="password"]');
    const press = (modifierCapsLock: boolean) =>
      page.evaluate<boolean>(
        `document.getElementById('password').dispatchEvent(
           new KeyboardEvent('keydown', { key: 'A', bubbles: true, modifierCapsLock: ${modifierCapsLock} }))`,
      );
    await page.focus('#password');
    await press(true);
    expect(await hint.innerText()).toBe('Caps Lock is on.');
    expect(await hint.getAttribute('role')).toBe('status');
    await press(false);
    expect(await hint.innerText()).toBe('');
    await press(true);
    await page.focus('#email');
    expect(await hint.innerText()).toBe('');
  });

  it('counts a double click as one attempt', async () => {
    await open();
    await page.fill('#email', user.email);
    await page.fill('#password', 'not the password');
    await page.dblclick('button.wide:not(.quiet)');
    await page.waitForSelector('.field-error');
    const [row] = await world.sql<{ tries: number }>(
      `SELECT count(*)::int AS tries FROM audit_entries
       WHERE action = 'user.login_failed' AND metadata ->> 'email' = $1`,
      [user.email],
    );
    expect(row?.tries).toBe(1);
  });

  it('continues to the app if the user presses Back after the sign-in', async () => {
    await open();
    await page.fill('#email', user.email);
    await page.fill('#password', user.password);
    await page.click('button.wide:not(.quiet)');
    await arrival();
    const first = page.url();
    await page.goBack();
    await page.goto(page.url());
    await arrival();
    expect(page.url()).not.toBe(first);
  });

  it('marks the fields for password managers: username and current-password', async () => {
    await open();
    const autocomplete = (id: string) => page.locator(id).getAttribute('autocomplete');
    expect([await autocomplete('#email'), await autocomplete('#password')]).toEqual(['username', 'current-password']);
    expect(await page.locator('#password').getAttribute('maxlength')).toBeNull();
  });

  it('loads nothing from other origins and violates no Content-Security-Policy', async () => {
    const [requests, complaints]: [string[], string[]] = [[], []];
    page.on('request', (request) => requests.push(new URL(request.url()).origin));
    page.on('console', (message) => complaints.push(message.text()));
    await open();
    await page.getByRole('button', { name: 'Show password' }).click();
    expect(new Set(requests)).toEqual(new Set([service.baseUrl]));
    expect(complaints).toEqual([]);
  });
});
