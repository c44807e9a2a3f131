import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { openBrowser } from '../support/chromium.js';
import { expectGoodLooks } from '../support/looks.js';
import { type ServiceProcess, startProcess } from '../support/service-process.js';

const ADMIN = { email: 'root@example.com', name: 'Root', password: 'a long enough password' };

/** What `npm start` gives to a user who has never seen it, from the first line printed to the second start. */
describe('A new user with the service started without any setting', () => {
  let folder: string;
  let service: ServiceProcess;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;

  const start = (port?: string) =>
    startProcess(
      'dist/main.js',
      {
        DATABASE_URL: undefined,
        REDIS_URL: undefined,
        SECRET_KEY: undefined,
        DATA_DIR: join(folder, 'data'),
        ...(port ? { PORT: port } : {}),
      },
      { readyLine: /Try sign-in/ },
    );

  /** Address printed behind a label, e.g. `Try sign-in`. */
  const printed = (label: string) => {
    const line = service.logs().find((one) => one.includes(label))!;
    return /http:\S+/.exec(line)?.[0] ?? '';
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'newcomer-'));
    chmodSync(folder, 0o711); // run as root, the database's own user must be able to enter
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
    await page.getByRole('button', { name, exact: true }).click();
    await page.waitForLoadState();
  };

  const lastCall = async () => ({
    what: await page.locator('#last').innerText(),
    status: await page.locator('.result .badge').innerText(),
    body: JSON.parse(await page.locator('.result pre').innerText()) as Record<string, unknown>,
  });

  it('sets up the first admin with the link that was printed', async () => {
    await page.goto(printed('First admin'));
    await expectGoodLooks(page, 'setup');
    await press('Create admin');
    await page.waitForSelector('.error-summary');
    await expectGoodLooks(page, 'setup with errors');
    await page.fill('#email', ADMIN.email);
    await page.fill('#display_name', ADMIN.name);
    await page.fill('#password', ADMIN.password);
    await press('Create admin');
    expect(await page.locator('h1').innerText()).toBe('Sign in to Console');
  });

  it('signs in at the console and finds the demo', async () => {
    await page.fill('#email', ADMIN.email);
    await page.fill('#password', ADMIN.password);
    await press('Sign in');
    await page.waitForURL(`${service.baseUrl}/console/`);
    expect(await page.locator('body').innerText()).toMatch(/Demo app[^]*dev\.demo\.playground/);
    await expectGoodLooks(page, 'console overview');
  });

  it('tries the sign-in, joins the demo app by single sign-on, and comes back with a code', async () => {
    await page.goto(printed('Try sign-in'));
    expect(await page.locator('h1').innerText()).toBe('Join Demo app?');
    await press('Join Demo app');
    await page.waitForURL(/\/dev\/playground\?code=[\w-]{43}$/);
    await expectGoodLooks(page, 'playground with a code');
  });

  it('exchanges the code and sees what is in the tokens', async () => {
    await press('Exchange the code');
    const { what, status, body } = await lastCall();
    expect([what, status, body['token_type']]).toEqual(['POST /token/exchange', 'Status 200', 'Bearer']);
    const claims = JSON.parse(await page.getByLabel('Claims of the access token').innerText()) as object;
    expect(claims).toMatchObject({ email: ADMIN.email, iss: service.baseUrl, roles: ['user'] });
    expect(await page.getByLabel('Header of the access token').innerText()).toContain('RS256');
    expect(page.url()).toBe(`${service.baseUrl}/dev/playground`);
    await expectGoodLooks(page, 'playground with tokens');
  });

  it('verifies the token and asks who it is', async () => {
    await press('Verify');
    expect(await lastCall()).toMatchObject({ status: 'Status 200', body: { valid: true } });
    await press('Get user info');
    expect(await lastCall()).toMatchObject({
      what: 'GET /userinfo',
      status: 'Status 200',
      body: { email: ADMIN.email },
    });
  });

  it('refreshes, replays the spent token, and is refused', async () => {
    await press('Refresh');
    expect((await lastCall()).status).toBe('Status 200');
    await press('Replay the old one');
    expect(await lastCall()).toEqual({
      what: 'POST /token/refresh',
      status: 'Status 401',
      body: { detail: 'Invalid or expired refresh token' },
    });
    await press('Refresh');
    expect((await lastCall()).status).toBe('Status 401');
    await expectGoodLooks(page, 'playground after a replay');
  });

  it('signs in once more from the page itself, and sees that the state is the one sent', async () => {
    await page.getByRole('link', { name: 'Sign in again' }).click();
    await page.waitForURL(/\?code=/);
    expect(await page.locator('body').innerText()).toContain('Matches');
    await press('Exchange the code');
    expect((await lastCall()).status).toBe('Status 200');
    await press('Exchange it again');
    expect((await lastCall()).status).toBe('Status 400');
    await press('Revoke');
    expect(await lastCall()).toMatchObject({ what: 'POST /token/revoke', status: 'Status 200' });
  });

  it('signs out, and is asked for the password the next time', async () => {
    await press('Sign out');
    expect(await page.getByRole('link', { name: 'Start sign-in' }).isVisible()).toBe(true);
    await expectGoodLooks(page, 'empty playground');
    await page.getByRole('link', { name: 'Start sign-in' }).click();
    await page.fill('#email', ADMIN.email);
    await page.fill('#password', ADMIN.password);
    await press('Sign in');
    await page.waitForURL(/\/dev\/playground\?code=/);
  });

  it('stops and starts again, and everything is still there', async () => {
    const demo = printed('Try sign-in');
    expect((await service.kill('SIGINT')).code).toBe(0);
    service = await start(new URL(service.baseUrl).port);
    expect(printed('Try sign-in')).toBe(demo);
    expect(service.logs().join('\n')).toContain('is set up already');
    await page.goto(demo);
    await page.waitForURL(/\/dev\/playground\?code=/);
    await page.goto(`${service.baseUrl}/console/`);
    expect(await page.locator('h1').innerText()).toBe('Overview');
  });
});
