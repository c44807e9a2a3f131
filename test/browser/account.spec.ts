import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { copies } from '../support/copies.js';
import { codeAt, nextCode } from '../support/authenticator.js';
import { openBrowser } from '../support/chromium.js';
import { expectGoodAppearance, expectSteady } from '../support/page-appearance.js';
import { signUpUser } from '../support/new-user.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../support/test-database.js';
import { type TestUser, type TestClient, World } from '../support/world.js';

const LONG = 'Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz';

describe('Account page in a browser', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let browser: Browser;
  let app: TestClient;
  let context: BrowserContext;
  let page: Page;

  beforeAll(async () => {
    [database, browser] = await Promise.all([freshDatabase(), openBrowser()]);
    service = await startTestApp({ settings: { databaseUrl: database.url } });
    world = await World.open(service.baseUrl, database.url);
    app = await world.app(await world.tenant({ allow_account_deletion: true }), { registration_policy: 'open' });
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
  });

  afterEach(() => context.close());

  const open = (path: string) => page.goto(`${service.baseUrl}${path}`);

  const enter = async (user: TestUser) => {
    await open('/account');
    await page.fill('#email', user.email);
    await page.fill('#password', user.password);
    await page.click('button.wide');
    await page.waitForURL(/\/account$/);
  };

  const setUp = async () => {
    await page.click('a[href="/account/second-factor"]');
    await page.waitForURL(/\/second-factor$/);
    const secret = (await page.locator('.secret').textContent())!.replace(/\s/g, '');
    await page.fill('#code', codeAt(secret));
    await page.click('text=Confirm');
    await page.waitForSelector('.backup-codes');
    return secret;
  };

  describe('looks good', () => {
    it('with little content', async () => {
      await enter(await world.user());
      await expectSteady(page, 'account');
      await expectGoodAppearance(page, 'account');
    });

    it('with long names and long lists, expanded', async () => {
      const user = await world.user(app, { display_name: `${LONG} ${LONG}` });
      const tenant = await world.tenant({ name: LONG });
      for (let made = 0; made < 8; made++) {
        const { id } = await world.app(tenant, { name: `${LONG} ${LONG} ${made}` });
        const roles = ['user', 'manager', 'admin'];
        await world.asAdmin('POST', '/admin/users/roles', { user_id: user.id, app_id: id, roles });
        await world.tokens(user, id, { device_id: LONG.repeat(3).slice(0, 200) });
        await world.sql('UPDATE sso_sessions SET ended_at = now() WHERE user_id = $1 AND $2 % 2 = 0', [user.id, made]);
        await world.sql(
          `INSERT INTO linked_accounts (id, user_id, provider, subject, email)
           VALUES (gen_random_uuid(), $1, 'github', $2, $3)`,
          [user.id, `${user.id}${made}`, `${LONG}@example.com`],
        );
      }
      await enter(user);
      for (const summary of await page.locator('.box summary').all()) await summary.click();
      expect(await page.locator('.rows .row:visible').count()).toBeGreaterThan(20);
      const marks = await Promise.all(
        (await page.locator('.row .mark:visible').all()).map((mark) => mark.boundingBox()),
      );
      expect(marks.length).toBeGreaterThan(0);
      for (const mark of marks) expect(mark!.width).toBeLessThanOrEqual(24);
      await expectGoodAppearance(page, 'account, too much');
    });

    it('with errors and with a card that cannot be read', async () => {
      await enter(await world.user(app));
      await world.sql('ALTER TABLE linked_accounts RENAME TO linked_accounts_away');
      try {
        await expectGoodAppearance(page, 'account, card missing');
        await open('/account/password');
        await page.fill('#current_password', 'not the password');
        await page.fill('#new_password', 'an entirely new secret');
        await page.click('button.wide');
        await page.waitForSelector('.field-error');
        expect(await page.locator(':focus').getAttribute('id')).toBe('current_password');
        await expectGoodAppearance(page, 'password, errors');
      } finally {
        await world.sql('ALTER TABLE linked_accounts_away RENAME TO linked_accounts');
      }
    });

    it('for a new user without a password, after a recent and after an old sign-in', async () => {
      const user = await signUpUser(world, app, { password: undefined });
      const [name, value] = user.ssoCookie!.split('=') as [string, string];
      await context.addCookies([{ name, value, url: service.baseUrl }]);
      await open('/account');
      await expectGoodAppearance(page, 'account, no password');
      await page.click('text="Set password"');
      await page.waitForURL(/\/account\/password$/);
      await expectGoodAppearance(page, 'first password');
      await world.sql("UPDATE sso_sessions SET auth_time = auth_time - interval '6 minutes' WHERE user_id = $1", [
        user.id,
      ]);
      await open('/account/password');
      expect(page.url()).toMatch(/\/sign-in/);
    });

    it('on the forms of the profile, of an app and of the deletion', async () => {
      const user = await world.user(app);
      await enter(user);
      await open('/account/profile');
      await expectGoodAppearance(page, 'profile');
      await open('/account/activity');
      await expectGoodAppearance(page, 'activity');
      await open(`/account/apps/${app.id}/leave`);
      await expectGoodAppearance(page, 'leave an app');
      await open('/account/delete');
      await expectGoodAppearance(page, 'delete the account');
      await page.fill('#email', user.email);
      await page.click('button.danger');
      await page.waitForSelector('form[action="/account/delete/cancel"]');
      await expectGoodAppearance(page, 'account that will be deleted');
    });

    it('on the pages of the second factor', async () => {
      await enter(await world.user(app));
      await open('/account/second-factor');
      await expectGoodAppearance(page, 'set-up');
      await page.fill('#code', '000000');
      await page.click('text=Confirm');
      await page.waitForSelector('.field-error');
      await expectGoodAppearance(page, 'set-up, wrong code');
      await open('/account');
      await setUp();
      await expectGoodAppearance(page, 'backup codes');
      await page.check('input[name=kept]');
      await page.click('text=Back to your account');
      await page.waitForSelector('.notice');
      expect(await page.locator(':focus').getAttribute('class')).toBe('notice');
      await expectGoodAppearance(page, 'account, second factor on');
      for (const path of ['codes', 'remove']) {
        await open(`/account/second-factor/${path}`);
        await page.click('summary');
        await expectGoodAppearance(page, path);
      }
    });

    it('on the signed-out page', async () => {
      await enter(await world.user(app));
      await page.click('text=Sign out');
      await page.waitForURL(/\/signed-out$/);
      await expectGoodAppearance(page, 'signed out');
    });
  });

  it('works with the keyboard alone', async () => {
    const user = await world.user(app);
    await enter(user);
    await page.locator('a.skip').focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').getAttribute('href')).toBe('/account/profile');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/account\/profile$/);
    await page.locator('#display_name').focus();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('Countess of Lovelace');
    await page.keyboard.press('Enter');
    await page.waitForURL(/done=renamed$/);
    expect(await page.locator('.notice').innerText()).toBe('Your profile was saved.');
    expect(await page.locator('#profile + .rows').innerText()).toContain('Countess of Lovelace');
  });

  it('reaches every control by Tab in page order, each with a name', async () => {
    const user = await world.user(app);
    await world.tokens(user, app.id);
    await enter(user);
    await page.locator('a.skip').focus();
    const reached: string[] = [];
    for (let stops = 0; stops < 12; stops++) {
      await page.keyboard.press('Tab');
      reached.push(
        await page.evaluate<string>(
          'document.activeElement.id || document.activeElement.getAttribute("aria-label") || document.activeElement.textContent.replace(/\\s+/g, " ")',
        ),
      );
    }
    expect(reached).toEqual([
      'Sign out',
      'Edit: Name',
      'Change: E-mail address',
      'Download: Your data',
      'Delete account',
      'Change password',
      'Set up: Authenticator app',
      'View: Recent activity',
      expect.stringMatching(/^Sign out there: node, signed in just now$/),
      'Sign out everywhere else',
      expect.stringMatching(/^Open /),
      expect.stringMatching(/^Leave /),
    ]);
  });

  it('marks the fields for password managers: username, current-password and new-password', async () => {
    await enter(await world.user(app));
    await open('/account/password');
    const tokens = await page
      .locator('form[action="/account/password"] input')
      .evaluateAll((inputs: { autocomplete: string }[]) =>
        inputs.map((input) => input.autocomplete).filter((token) => token !== ''),
      );
    expect(tokens).toEqual(['username', 'current-password', 'new-password']);
  });

  it('copies the backup codes and offers them as a file', async () => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await enter(await world.user(app));
    await setUp();
    const codes = await page.locator('.backup-codes code').allInnerTexts();
    await copies(page, page.getByRole('button', { name: 'Copy the backup codes' }));
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(codes.join('\n'));
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('text=Download')]);
    expect(download.suggestedFilename()).toBe('backup-codes.txt');
    expect(await page.getByRole('button', { name: 'Print' }).isVisible()).toBe(true);
  });

  it('works without JavaScript', async () => {
    await context.close();
    context = await browser.newContext({ reducedMotion: 'reduce', javaScriptEnabled: false });
    page = await context.newPage();
    const user = await world.user(app);
    await world.tokens(user, app.id);
    await enter(user);
    await page.click('a[href="/account/profile"]');
    await page.fill('#display_name', 'Ada King');
    await page.click('text=Save profile');
    await page.waitForURL(/done=renamed$/);
    await page.click('text=Sign out there');
    await page.waitForURL(/done=signed-out-there$/);
    const secret = await setUp();
    await page.check('input[name=kept]');
    await page.click('text=Back to your account');
    await page.waitForURL(/done=second-factor-on/);
    await page.click('a[href="/account/second-factor/remove"]');
    await page.fill('#code', nextCode(secret));
    await page.click('button.wide >> nth=0');
    await page.waitForURL(/done=second-factor-off$/);
  });
});
