import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from '../support/chromium.js';
import { ConsoleFixture } from '../support/console-fixture.js';
import { newInvite } from '../support/invites.js';
import { expectGoodAppearance, openSteady } from '../support/page-appearance.js';
import { registerDevice, send } from '../support/push.js';
import { eventually } from '../support/wait.js';
import { testEvent } from '../support/webhooks.js';
import type { TestClient } from '../support/world.js';

const TABS = [
  '',
  '/sign-in',
  '/branding',
  '/members',
  '/invites',
  '/push',
  '/webhooks',
  '/api-access',
  '/api-access/keys',
  '/danger',
];
const LONG = 'Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz';

describe('Console app pages in a browser', () => {
  let fixture: ConsoleFixture;
  let browser: Browser;
  let page: Page;
  let app: TestClient;
  let home: string;

  beforeAll(async () => {
    [fixture, browser] = await Promise.all([ConsoleFixture.open(), openBrowser()]);
    const { world, tenant, tenantAdmin, service } = fixture;
    app = await world.app(tenant, { name: `Shop ${LONG}`, registration_policy: 'open' });
    home = `${service.baseUrl}/console/apps/${app.id}`;
    const user = await world.user(app);
    const waiting = await world.user(app, { display_name: LONG });
    await world.sql(`UPDATE enrollments SET status = 'pending' WHERE user_id = $1`, [waiting.id]);
    await newInvite(world, app, { send_to_email: 'grace.hopper@example.com', roles: ['user', 'manager'] });
    const webhook_url = 'https://receiver.example/webhook';
    await world.asAdmin('PATCH', `/push/config/${app.id}`, { enabled: true, webhook_url });
    await registerDevice(world, app, user);
    const serviceToken = await world.serviceToken(app, 'push:send');
    await send(world, { serviceToken }, '', { user_id: user.id, title: 'Hello', body: 'There' });
    await testEvent(world, app);
    page = await browser.newPage({ reducedMotion: 'reduce' });
    await page.goto(`${service.baseUrl}/console/`);
    await page.getByLabel('E-mail address').fill(tenantAdmin.email);
    await page.getByRole('textbox', { name: 'Password' }).fill(tenantAdmin.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });

  afterAll(async () => {
    await browser.close();
    await fixture.close();
  });

  it.each(TABS)('look good at …%s on a phone and a desktop, light and dark', async (tab) => {
    await openSteady(page, home + tab, `app${tab}`);
    await expectGoodAppearance(page, `app${tab}`);
    await page.setViewportSize({ width: 375, height: 700 });
    await page.reload();
    const current = (await page.locator('.tabs [aria-current="page"]').first().boundingBox())!;
    expect([current.x >= 0, current.x + current.width <= 375]).toEqual([true, true]);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it('look good as lists, with errors and with a secret', async () => {
    for (const path of ['/console/apps', '/console/apps?q=nothing', '/console/my-apps', '/console/apps/new']) {
      await page.goto(fixture.service.baseUrl + path);
      await expectGoodAppearance(page, path);
    }
    await page.getByRole('button', { name: 'Create app' }).click();
    await page.getByRole('alert').waitFor();
    await expectGoodAppearance(page, 'new app with errors');
    await page.goto(`${home}/members`);
    await page.locator('.table-box .menu summary').first().click();
    await expectGoodAppearance(page, 'members with an open menu');
    await page.getByRole('link', { name: 'Roles and access' }).first().click();
    await expectGoodAppearance(page, 'member');
    await page.goto(`${home}/api-access/secret`);
    await expectGoodAppearance(page, 'question');
    await page.getByRole('button', { name: 'Regenerate secret' }).click();
    await page.getByText('It is shown only once.').waitFor();
    await expectGoodAppearance(page, 'secret');
    page.once('dialog', (dialog) => void dialog.accept());
    await page.goto(`${home}/api-access`);
    expect(await page.getByText('It is shown only once.').count()).toBe(0);
  });

  it('preview a typed color without saving it', async () => {
    await page.goto(`${home}/branding`);
    const isPainted = async (color: string) => {
      const picture = page.frames().find((frame) => frame.url().includes('/preview/sign-in'));
      return (await picture!.content()).includes(`--brand-fill: light-dark(${color},`);
    };
    await eventually('the saved color is shown', () => isPainted('#2563eb'));
    const refused: string[] = [];
    page.on('console', (message) => message.type() === 'error' && refused.push(message.text()));
    const code = page.getByLabel('Color, hex code');
    await code.fill('#aa0000');
    await eventually('the typed color is shown', () => isPainted('#aa0000'));
    expect(await page.getByLabel('Color', { exact: true }).inputValue()).toBe('#aa0000');
    await page.getByLabel('Color', { exact: true }).fill('#00aa00');
    expect(await code.inputValue()).toBe('#00aa00');
    await code.fill('green');
    await code.press('Enter');
    await page.getByText('Enter six hex digits, like #00aa00.').waitFor();
    expect(await page.evaluate(`document.activeElement.getAttribute('aria-label')`)).toBe('Color, hex code');
    expect(refused).toEqual([]);
    expect((await fixture.shown(app)).config.branding['primary_color']).toBe('#2563eb');
  });

  it.each([375, 1280])('show at %d px what has the focus: no bar that stays in sight covers it', async (width) => {
    await page.setViewportSize({ width, height: 800 });
    const covered: string[] = [];
    const walk = async (url: string, key: string, stops: number) => {
      await page.goto(url);
      if (key === 'Shift+Tab') await page.evaluate(`document.querySelector('main').lastElementChild.scrollIntoView()`);
      for (let stop = 0; stop < stops; stop++) {
        await page.keyboard.press(key);
        const by = await page.evaluate<string | null>(`(() => {
          const focused = document.activeElement;
          const { left, top, width, height } = focused.getBoundingClientRect();
          const hit = document.elementFromPoint(left + Math.min(width / 2, 30), top + height / 2);
          const label = focused.labels?.[0] ?? null;
          return !hit || focused.contains(hit) || hit.contains(focused) || label?.contains(hit)
            ? null
            : focused.textContent.trim() + focused.id + ' by ' + hit.className;
        })()`);
        if (by) covered.push(by);
      }
    };
    await walk(`${home}/sign-in`, 'Tab', 70);
    await walk(`${home}/sign-in`, 'Shift+Tab', 40);
    await walk(`${fixture.service.baseUrl}/console/apps`, 'Tab', 30);
    expect(covered).toEqual([]);
  });

  it('work with the keyboard: open a tab, fill in a form and submit it', async () => {
    await page.goto(home);
    await page.locator('nav.tabs').getByRole('link', { name: 'Invites' }).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(`${home}/invites`);
    await page.getByLabel('Maximum uses').focus();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('7');
    await page.keyboard.press('Enter');
    await page.getByRole('status').filter({ hasText: 'The invite was created.' }).waitFor();
    expect(await page.getByText('0 of 7').count()).toBe(1);
  });

  it('keep what was typed, but no secrets, while the operator signs in again', async () => {
    const { world, tenantAdmin } = fixture;
    const confirmation = async (): Promise<void> => {
      await page.getByRole('heading', { name: 'Confirm it’s you' }).waitFor();
    };
    await page.goto(`${home}/push`);
    await world.sql(`UPDATE console_sessions SET auth_time = auth_time - interval '16 minutes'`);
    await page.getByLabel('Service account (JSON)').fill('{"private_key":"hidden-key"}');
    await page.getByRole('button', { name: 'Save account' }).click();
    await confirmation();
    expect(JSON.stringify(await page.evaluate('({ ...sessionStorage })'))).not.toContain('hidden-key');
    expect(await page.getByText('is kept in this tab').count()).toBe(1);
    expect(await page.getByText('is kept in this tab').isVisible()).toBe(false);
    await page.goto(`${home}/sign-in`);
    await page.getByRole('button', { name: 'Add redirect URI' }).click();
    await page.keyboard.type('https://shop.example/second');
    await page.getByLabel('Require PKCE').uncheck();
    await page.getByLabel('Access token lifetime (minutes)').fill('7');
    await page.getByRole('button', { name: 'Save' }).last().click();
    await confirmation();
    await page.getByText('is kept in this tab').waitFor();
    await expectGoodAppearance(page, 'confirmation of the identity');
    await page.getByRole('button', { name: 'Sign in again' }).click();
    await page.getByRole('textbox', { name: 'Password' }).fill(tenantAdmin.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('Not saved yet. Check your changes, then save them.').waitFor();
    await page.getByText('You have unsaved changes.').waitFor();
    await expectGoodAppearance(page, 'restored form');
    expect(await page.getByLabel('Require PKCE').isChecked()).toBe(false);
    await page.getByRole('button', { name: 'Save' }).last().click();
    await page.getByRole('status').filter({ hasText: 'The sign-in settings were saved.' }).waitFor();
    const { config } = await fixture.shown(app);
    expect([config['redirect_uris'], config['token_lifetime_minutes']]).toEqual([
      [expect.any(String), 'https://shop.example/second'],
      7,
    ]);
    await page.goto(`${home}/sign-in`);
    expect(await page.getByText('Not saved yet').count()).toBe(0);
  });

  it('keep no password, not even one that is shown', async () => {
    await page.goto(`${fixture.service.baseUrl}/console/users/new`);
    await page.getByRole('textbox', { name: 'Password' }).fill('a secret phrase');
    await page.getByRole('button', { name: 'Show password' }).click();
    const kept = await page.evaluate<string>(`(() => {
      const form = document.querySelector('main form[method=post]');
      form.addEventListener('submit', (event) => event.preventDefault());
      form.querySelector('[name=email]').value = 'grace@example.com';
      form.requestSubmit();
      return sessionStorage.getItem('form-draft');
    })()`);
    expect([kept.includes('grace@example.com'), kept.includes('a secret phrase')]).toEqual([true, false]);
  });

  it('keep the form, not its review, while the operator signs in again', async () => {
    const { world, tenantAdmin } = fixture;
    const shop = await world.app(fixture.tenant, {
      config: { require_pkce: true, redirect_uris: ['https://a.example/'] },
    });
    await world.user(shop);
    await page.goto(`${fixture.service.baseUrl}/console/apps/${shop.id}/sign-in`);
    await page.getByLabel('Sign-in link').check();
    await page.getByLabel('Password', { exact: true }).uncheck();
    await page.getByRole('button', { name: 'Save' }).last().click();
    await page.getByRole('heading', { name: 'Review the effect on users' }).waitFor();
    // As if the operator had read the review for long.
    await page.evaluate(
      `sessionStorage.setItem('form-draft', JSON.stringify({ ...JSON.parse(sessionStorage['form-draft']), at: 0 }))`,
    );
    await world.sql(`UPDATE console_sessions SET auth_time = auth_time - interval '16 minutes'`);
    await page.getByRole('button', { name: 'Save' }).last().click();
    await page.getByRole('button', { name: 'Sign in again' }).click();
    await page.getByRole('textbox', { name: 'Password' }).fill(tenantAdmin.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('Not saved yet. Check your changes, then save them.').waitFor();
    const isTicked = (label: string) => page.getByLabel(label, { exact: true }).isChecked();
    expect([await isTicked('Password'), await isTicked('Sign-in link'), await isTicked('Require PKCE')]).toEqual([
      false,
      true,
      true,
    ]);
  });

  it('show whom a change affects before it is saved', async () => {
    await page.goto(`${home}/sign-in`);
    await page.getByLabel('Require a second factor').check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Review the effect on users' }).waitFor();
    await page.getByRole('heading', { name: '1 user must set up a second factor at the next sign-in' }).waitFor();
    await expectGoodAppearance(page, 'review');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download list' }).click();
    expect((await download).suggestedFilename()).toMatch(/^preview-\d{4}-\d\d-\d\d\.csv$/);
    expect((await fixture.shown(app)).config['require_2fa']).toBe(false);
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('status').filter({ hasText: 'The sign-in settings were saved.' }).waitFor();
    expect((await fixture.shown(app)).config['require_2fa']).toBe(true);
  });
});
