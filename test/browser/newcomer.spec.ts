import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { openBrowser } from '../support/chromium.js';
import { expectGoodAppearance } from '../support/page-appearance.js';
import { makeDataFolder } from '../support/servers/memory-folder.js';
import { VirtualAuthenticator } from '../support/virtual-authenticator.js';
import { type ServiceProcess, startProcess } from '../support/service-process.js';

const ADMIN = { email: 'root@example.com', name: 'Root', password: 'a long enough password' };

/** The first steps after `npm start`, from the first printed line to the second start. */
describe('First start of the service without any setting', () => {
  let folder: string;
  let service: ServiceProcess;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;

  const start = (port?: string, baseUrl?: string) =>
    startProcess(
      'dist/main.js',
      {
        DATABASE_URL: undefined,
        REDIS_URL: undefined,
        SECRET_KEY: undefined,
        DATA_DIR: join(folder, 'data'),
        ...(port ? { PORT: port } : {}),
        ...(baseUrl ? { BASE_URL: baseUrl } : {}),
      },
      { readyLine: /Try sign-in/ },
    );

  /** Address printed behind a label, e.g. `Try sign-in`. */
  const printed = (label: string) => {
    const line = service.logs().find((one) => one.includes(label))!;
    return /http:\S+/.exec(line)?.[0] ?? '';
  };

  beforeAll(async () => {
    folder = makeDataFolder('newcomer-');
    [service, browser] = await Promise.all([start(), openBrowser()]);
    context = await browser.newContext({ reducedMotion: 'reduce' });
    page = await context.newPage();
  });

  afterAll(async () => {
    await browser.close();
    await service.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  const press = async (name: string) => {
    await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name, exact: true }).click()]);
  };

  const lastCall = async () => ({
    what: await page.locator('#last').innerText(),
    status: await page.locator('.result .badge').innerText(),
    body: JSON.parse(await page.locator('.result pre').innerText()) as Record<string, unknown>,
  });

  it('the printed link creates the first admin', async () => {
    await page.goto(printed('First admin'));
    await expectGoodAppearance(page, 'setup');
    await press('Create administrator');
    await page.waitForSelector('.field-error');
    await expectGoodAppearance(page, 'setup with errors');
    await page.fill('#email', ADMIN.email);
    await page.fill('#display_name', ADMIN.name);
    await page.fill('#password', ADMIN.password);
    await press('Create administrator');
  });

  it('the admin is signed in at the Console at once and finds the demo app', async () => {
    await page.waitForURL(`${service.baseUrl}/console/`);
    expect(await page.locator('body').innerText()).toMatch(/Demo app[^]*dev\.demo\.playground/);
    await expectGoodAppearance(page, 'console overview');
  });

  it('the printed sign-in link leads through single sign-on into the demo app with a code', async () => {
    await page.goto(printed('Try sign-in'));
    expect(await page.locator('h1').innerText()).toBe('Join Demo app?');
    await press('Join Demo app');
    await page.waitForURL(/\/dev\/playground\?code=[\w-]{43}$/);
    await expectGoodAppearance(page, 'playground with a code');
  });

  it('the playground exchanges the code and shows the claims of the tokens', async () => {
    await press('Exchange the code');
    const { what, status, body } = await lastCall();
    expect([what, status, body['token_type']]).toEqual(['POST /token/exchange', 'Status 200', 'Bearer']);
    const claims = JSON.parse(await page.getByLabel('Claims of the access token').innerText()) as object;
    expect(claims).toMatchObject({ email: ADMIN.email, iss: service.baseUrl, roles: ['user'] });
    expect(await page.getByLabel('Header of the access token').innerText()).toContain('RS256');
    expect(page.url()).toBe(`${service.baseUrl}/dev/playground`);
    await expectGoodAppearance(page, 'playground with tokens');
  });

  it('the playground verifies the token and reads /userinfo', async () => {
    await press('Verify the access token');
    expect(await lastCall()).toMatchObject({ status: 'Status 200', body: { valid: true } });
    await press('Get user info');
    expect(await lastCall()).toMatchObject({
      what: 'GET /userinfo',
      status: 'Status 200',
      body: { email: ADMIN.email },
    });
  });

  it('the playground refreshes, and a replayed refresh token returns 401', async () => {
    await press('Refresh tokens');
    expect((await lastCall()).status).toBe('Status 200');
    await press('Replay the used token');
    expect(await lastCall()).toEqual({
      what: 'POST /token/refresh',
      status: 'Status 401',
      body: { detail: 'Invalid or expired refresh token' },
    });
    await press('Refresh tokens');
    expect((await lastCall()).status).toBe('Status 401');
    await expectGoodAppearance(page, 'playground after a replay');
  });

  it('the playground signs in again and compares the state', async () => {
    await page.getByRole('link', { name: 'Sign in again' }).click();
    await page.waitForURL(/\?code=/);
    expect(await page.locator('body').innerText()).toContain('Matches');
    await press('Exchange the code');
    expect((await lastCall()).status).toBe('Status 200');
    expect(await page.locator('li', { hasText: 'Exchange the code' }).locator('.result').count()).toBe(1);
    await expectGoodAppearance(page, 'playground after an exchange with PKCE');
    await press('Exchange it again');
    expect((await lastCall()).status).toBe('Status 400');
    await press('Revoke the sign-in');
    expect(await lastCall()).toMatchObject({ what: 'POST /token/revoke', status: 'Status 200' });
  });

  it('shows every component in both themes', async () => {
    const other = await context.newPage();
    await other.goto(`${service.baseUrl}/dev/design`);
    expect(await other.locator('.sample').count()).toBe(2);
    await expectGoodAppearance(other, 'design system');
    await other.close();
  });

  it('a sign-out makes the next sign-in ask for the password', async () => {
    await press('Sign out');
    expect(await page.getByRole('link', { name: 'Start sign-in' }).isVisible()).toBe(true);
    await expectGoodAppearance(page, 'empty playground');
    await page.getByRole('link', { name: 'Start sign-in' }).click();
    await page.fill('#email', ADMIN.email);
    await page.fill('#password', ADMIN.password);
    await press('Sign in');
    await page.waitForURL(/\/dev\/playground\?code=/);
  });

  it('a restart keeps all data and sessions', async () => {
    const demo = printed('Try sign-in');
    expect((await service.kill('SIGINT')).code).toBe(0);
    service = await start(new URL(service.baseUrl).port);
    expect(printed('Try sign-in')).toBe(demo);
    expect(service.logs().join('\n')).toContain('exists already');
    await page.goto(demo);
    await page.waitForURL(/\/dev\/playground\?code=/);
    await page.goto(`${service.baseUrl}/console/`);
    expect(await page.locator('h1').innerText()).toBe('Overview');
  });

  it('the printed command makes passkeys work, and the demo app takes them', async () => {
    const [, baseUrl] = /BASE_URL=(\S+) npm start/.exec(service.logs().join('\n'))!;
    await service.kill('SIGINT');
    service = await start(new URL(baseUrl!).port, baseUrl);
    await VirtualAuthenticator.plugIn(page);
    await page.goto(printed('Passkeys'));
    await page.fill('#email', ADMIN.email);
    await page.fill('#password', ADMIN.password);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/account\/passkeys\/new/);
    await page.click('[data-passkey-button]');
    await page.waitForURL(/done=passkey-added/);
    await context.clearCookies();
    await page.goto(printed('Try sign-in'));
    await page.waitForURL(/\/dev\/playground\?code=/);
  });
});
