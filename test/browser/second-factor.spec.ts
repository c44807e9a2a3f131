import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { copies } from '../support/copies.js';
import { codeAt, wrongCode } from '../support/authenticator.js';
import { openBrowser } from '../support/chromium.js';
import { loginPath } from '../support/hosted-page.js';
import { type ListeningApp, startListeningApp } from '../support/listening-app.js';
import { expectGoodAppearance } from '../support/page-appearance.js';
import { enroll, type Enrolled } from '../support/second-factor.js';
import { sharedTestApp, type SharedTestApp } from '../support/test-app.js';
import { type TestUser, type TestClient, World } from '../support/world.js';

describe('Second factor in a browser', () => {
  let service: SharedTestApp;
  let world: World;
  let browser: Browser;
  let listening: ListeningApp;
  let app: TestClient;
  let demanding: TestClient;
  let page: Page;

  beforeAll(async () => {
    [service, browser, listening] = await Promise.all([sharedTestApp(), openBrowser(), startListeningApp()]);
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    const { redirectUri } = listening;
    const config = { redirect_uris: [redirectUri] };
    const tenant = await world.tenant();
    app = { ...(await world.app(tenant, { config })), redirectUri };
    demanding = { ...(await world.app(tenant, { config: { ...config, require_2fa: true } })), redirectUri };
  });

  afterAll(async () => {
    await browser.close();
    await world.close();
    await listening.close();
  });

  const open = async (options: BrowserContextOptions = {}) => {
    const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
    return context.newPage();
  };

  beforeEach(async () => {
    page = await open();
  });

  afterEach(() => page.context().close());

  const newUser = async (): Promise<{ user: TestUser } & Enrolled> => {
    const user = await world.user(app);
    return { user, ...(await enroll(world, user, app.id)) };
  };
  const signIn = async (at: TestClient, user: TestUser, on = page) => {
    await on.goto(`${service.baseUrl}${loginPath(at)}`);
    await on.fill('#email', user.email);
    await on.fill('#password', user.password);
    await on.click('button.wide:not(.quiet)');
    await on.waitForSelector('#code');
  };
  const arrival = (on = page) => on.waitForURL(/\/callback\?code=/);
  const focused = (on = page) => on.locator(':focus').getAttribute('id');
  const secretOf = async (on = page) => (await on.locator('.secret').innerText()).replace(/\s/g, '');

  it('accepts the code with the keyboard alone', async () => {
    const ada = await newUser();
    await signIn(app, ada.user);
    expect(await focused()).toBe('code');
    await page.keyboard.type(codeAt(ada.secret));
    await page.keyboard.press('Enter');
    await arrival();
  });

  it('has one field that phones and password managers recognize, and accepts a code with a space', async () => {
    const ada = await newUser();
    await signIn(app, ada.user);
    const attribute = (name: string) => page.locator('#code').getAttribute(name);
    expect([await attribute('inputmode'), await attribute('autocomplete'), await attribute('maxlength')]).toEqual([
      'numeric',
      'one-time-code',
      null,
    ]);
    expect(await page.locator('input:visible').count()).toBe(1);
    const code = codeAt(ada.secret);
    await page.fill('#code', `${code.slice(0, 3)} ${code.slice(3)}`);
    await page.keyboard.press('Enter');
    await arrival();
  });

  it('makes the backup code reachable with the keyboard, and shows errors beside its field', async () => {
    const ada = await newUser();
    await signIn(app, ada.user);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').innerText()).toBe('Use a backup code');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('backup_code');
    await page.keyboard.type('0000-0000-0000');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.field-error');
    expect(await page.locator('#backup_code-line').innerText()).toContain('This code is wrong or was already used.');
    expect(await page.locator('#code').getAttribute('aria-invalid')).toBeNull();
    expect(await focused()).toBe('backup_code');
    await page.keyboard.type(ada.backupCodes[0]!.toLowerCase());
    await page.keyboard.press('Enter');
    await arrival();
  });

  it.each([360, 1280])(
    'moves nothing on the page after a wrong code or a count of the tries left (%d px)',
    async (width) => {
      await page.setViewportSize({ width, height: 800 });
      const ada = await newUser();
      await signIn(app, ada.user);
      const places = () =>
        Promise.all(
          ['.card', 'h1', '#code', 'button.wide:not(.quiet)'].map((what) => page.locator(what).first().boundingBox()),
        );
      const before = await places();
      for (const left of ['', '', '2 tries left.', '1 try left.']) {
        await page.fill('#code', wrongCode(ada.secret));
        await page.click('button.wide:not(.quiet)');
        await page.waitForFunction(
          `document.querySelector('#code').value === '' && document.querySelector('.field-error')`,
        );
        expect(await page.locator('#code-line').innerText()).toMatch(
          left ? new RegExp(`${left.replace('.', '\\.')}$`) : /new one\.$/,
        );
        expect(await places()).toEqual(before);
      }
      expect(await focused()).toBe('code');
    },
  );

  it('can be set up without JavaScript, and requires the confirmation that the backup codes are kept', async () => {
    const plain = await open({ javaScriptEnabled: false });
    const user = await world.user(demanding);
    await signIn(demanding, user, plain);
    for (const button of await plain.locator('button[type=button]').all()) expect(await button.isVisible()).toBe(false);
    await plain.fill('#code', codeAt(await secretOf(plain)));
    await plain.click('button.wide:not(.quiet)');
    await plain.waitForSelector('.backup-codes');
    expect(await plain.locator('.backup-codes li').count()).toBe(10);
    expect(await plain.locator('input[type=checkbox]').getAttribute('required')).toBe('');
    await plain.click('button.wide');
    expect(plain.url()).not.toContain('/callback');
    await plain.check('input[type=checkbox]');
    await plain.click('button.wide');
    await arrival(plain);
    await plain.context().close();
  });

  it('shows a QR code and the same secret as text in groups of four', async () => {
    await signIn(demanding, await world.user(demanding));
    const groups = await page.locator('.secret span').allInnerTexts();
    expect(groups).toHaveLength(8);
    for (const group of groups) expect(group).toMatch(/^[A-Z2-7]{4}$/);
    const picture = page.locator('img.qr');
    expect(await page.evaluate<number>(`document.querySelector('img.qr').naturalWidth`)).toBeGreaterThan(0);
    expect(await picture.getAttribute('src')).toMatch(/^data:image\/svg\+xml;base64,/);
    const link = await page.locator('.on-phone a').getAttribute('href');
    expect(new URL(link!).searchParams.get('secret')).toBe(groups.join(''));
    expect(await page.locator('.on-phone').isVisible()).toBe(false);
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await page.locator('.on-phone').isVisible()).toBe(true);
  });

  it('copies, downloads and prints the backup codes without violations of the Content-Security-Policy', async () => {
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: service.baseUrl });
    const user = await world.user(demanding);
    await signIn(demanding, user);
    const secret = await secretOf();
    await copies(page, page.getByRole('button', { name: 'Copy the key' }));
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(secret);
    await page.fill('#code', codeAt(secret));
    await page.click('button.wide:not(.quiet)');
    await page.waitForSelector('.backup-codes');
    const codes = await page.locator('.backup-codes li').allInnerTexts();
    await copies(page, page.getByRole('button', { name: 'Copy the backup codes' }));
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(codes.join('\n'));
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('backup-codes.txt');
    const text = readFileSync(await download.path(), 'utf8');
    for (const code of codes) expect(text).toContain(code);
    expect(text).toContain(user.email);
    await page.evaluate(`window.print = () => { document.title = 'printed'; }`);
    await page.getByRole('button', { name: 'Print' }).click();
    expect(await page.title()).toBe('printed');
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('.backup-codes').isVisible()).toBe(true);
    expect(await page.locator('.button-row').isVisible()).toBe(false);
    expect(await page.locator('form').isVisible()).toBe(false);
    await page.emulateMedia({ media: 'screen' });
    await page.locator('form[data-must-tick] button').click();
    expect(await page.locator('.field-error').innerText()).toBe(
      'Save the codes, then select “I’ve saved these codes”.',
    );
    expect(await page.evaluate('document.activeElement.name')).toBe('kept');
    // For two seconds the button says something else than its label.
    await page.locator('.copied').waitFor({ state: 'detached' });
    await expectGoodAppearance(page, 'backup codes, not ticked');
    await page.check('input[name=kept]');
    expect(await page.locator('.field-error').innerText()).toBe('');
    expect(complaints).toEqual([]);
  });

  it('counts a double click as one try', async () => {
    const ada = await newUser();
    await signIn(app, ada.user);
    await page.fill('#code', wrongCode(ada.secret));
    await page.dblclick('button.wide:not(.quiet)');
    await page.waitForSelector('.field-error');
    const failed = `SELECT 1 FROM audit_entries WHERE user_id = $1 AND action = 'totp.failed'`;
    expect(await world.sql(failed, [ada.user.id])).toHaveLength(1);
  });

  describe('looks good', () => {
    it('on the code page, with an error, and with the backup code open', async () => {
      const ada = await newUser();
      await signIn(app, ada.user);
      await expectGoodAppearance(page, 'second factor');
      for (let time = 0; time < 3; time++) {
        await page.fill('#code', wrongCode(ada.secret));
        await page.click('button.wide:not(.quiet)');
        await page.waitForFunction(
          `document.querySelector('#code').value === '' && document.querySelector('.field-error')`,
        );
      }
      expect(await page.locator('.tries').innerText()).toBe('2 tries left.');
      await expectGoodAppearance(page, 'second factor with an error');
      await page.click('summary');
      await expectGoodAppearance(page, 'second factor with the backup code');
    });

    it('on the set-up page, with an error, and with the backup codes', async () => {
      await signIn(demanding, await world.user(demanding));
      await expectGoodAppearance(page, 'set-up');
      await page.fill('#code', '1');
      await page.click('button.wide:not(.quiet)');
      await page.waitForSelector('.field-error');
      await expectGoodAppearance(page, 'set-up with an error');
      await page.fill('#code', codeAt(await secretOf()));
      await page.click('button.wide:not(.quiet)');
      await page.waitForSelector('.backup-codes');
      await expectGoodAppearance(page, 'backup codes');
    });
  });
});
