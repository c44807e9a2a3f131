import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { Clock } from '../../src/common/clock.js';
import { openBrowser } from '../support/chromium.js';
import { FakeClock } from '../support/fake-clock.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { eventually } from '../support/wait.js';
import { type TestUser, type TestClient, World } from '../support/world.js';

const FOLDER = 'examples/single-page-app';
const TYPES: Readonly<Record<string, string>> = { html: 'text/html', js: 'text/javascript', json: 'application/json' };

describe('examples/single-page-app', () => {
  const clock = new FakeClock();
  let service: TestApp;
  let world: World;
  let browser: Browser;
  let files: Server;
  let origin: string;
  let client: TestClient;
  let user: TestUser;
  let context: BrowserContext;
  let page: Page;

  beforeAll(async () => {
    const override = { override: (builder) => builder.overrideProvider(Clock).useValue(clock) } as Parameters<
      typeof startTestApp
    >[0];
    [service, browser] = await Promise.all([startTestApp(override), openBrowser()]);
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    files = createServer((request, response) => {
      const name = new URL(request.url!, 'http://x').pathname.slice(1) || 'index.html';
      const settings = () => JSON.stringify({ issuer: service.baseUrl, app_id: client.id });
      if (!['index.html', 'app.js', 'config.json'].includes(name)) return void response.writeHead(404).end();
      const type = TYPES[name.split('.').at(-1)!]!;
      response.writeHead(200, { 'Content-Type': type });
      response.end(name === 'config.json' ? settings() : readFileSync(`${FOLDER}/${name}`));
    }).listen(0, '127.0.0.1');
    await once(files, 'listening');
    origin = `http://127.0.0.1:${(files.address() as AddressInfo).port}`;
    client = await world.app(await world.tenant(), { config: { redirect_uris: [`${origin}/`] } });
  });

  afterAll(async () => {
    await browser.close();
    await world.close();
    await service.close();
    files.closeAllConnections();
    files.close();
  });

  beforeEach(async () => {
    user = await world.user(client);
    context = await browser.newContext({ reducedMotion: 'reduce' });
    page = await context.newPage();
  });

  afterEach(() => context.close());

  const says = (text: string | RegExp) => page.locator('#message', { hasText: text }).waitFor();
  const signIn = async () => {
    await page.goto(`${origin}/`);
    await says('You are not signed in');
    await page.click('#sign-in');
    await page.fill('#email', user.email);
    await page.fill('#password', user.password);
    await page.click('button.wide:not(.quiet)');
    await says(`Signed in as Ada Lovelace (${user.email})`);
  };

  it('signs in with a clean URL and stores nothing in localStorage or sessionStorage', async () => {
    await signIn();
    expect(page.url()).toBe(`${origin}/`);
    expect(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')).toBe('[{},{}]');
  });

  it('signs in again after a reload without showing a page', async () => {
    await signIn();
    await page.reload();
    await says(`Signed in as Ada Lovelace`);
    expect(await page.locator('#sign-in').isVisible()).toBe(false);
  });

  it('refreshes an expired access token once for parallel calls', async () => {
    clock.advance(-3_600);
    await signIn().finally(() => clock.advance(3_600));
    let answered = 0;
    page.on('response', (answer) => {
      if (answer.url().endsWith('/userinfo') && answer.request().method() === 'GET' && answer.ok()) answered++;
    });
    await page.evaluate(`document.getElementById('who').click(); document.getElementById('who').click()`);
    await eventually('both calls to be answered', () => answered === 2);
    await says('Signed in as Ada Lovelace');
    const rows = await world.sql<{ revoked_at: Date | null; tokens: number }>(
      `SELECT revoked_at, (SELECT count(*)::int FROM refresh_tokens r WHERE r.family_id = f.id) AS tokens
       FROM refresh_families f WHERE user_id = $1`,
      [user.id],
    );
    expect(rows).toEqual([{ revoked_at: null, tokens: 2 }]);
  });

  it('shows that a suspended user is no longer signed in', async () => {
    await signIn();
    await world.asAdmin('POST', `/admin/users/${user.id}/suspend`, { app_id: client.id });
    await page.click('#who');
    await says('You are not signed in any more');
  });

  it('signs out at the service too', async () => {
    await signIn();
    await page.click('#sign-out');
    await says('You are not signed in');
    await page.reload();
    await says('You are not signed in');
    await page.click('#sign-in');
    await page.waitForSelector('#password');
  });

  it('rejects the response to a sign-in that it did not start', async () => {
    await page.goto(`${origin}/?code=${'x'.repeat(43)}&state=made-up&iss=${encodeURIComponent(service.baseUrl)}`);
    await says('This sign-in did not begin here');
    expect(page.url()).toBe(`${origin}/`);
  });

  it('shows the error of a failed sign-in as text', async () => {
    await page.goto(`${origin}/`);
    await says('You are not signed in');
    const query = new URLSearchParams({ state: 's', iss: service.baseUrl, error: '<img src=x>' });
    await page.evaluate(`sessionStorage.setItem('sign_in', '{"state":"s"}')`);
    await page.goto(`${origin}/?${query.toString()}`);
    await says('Sign-in failed: <img src=x>');
  });
});

describe('examples/ files', () => {
  it.each([
    'web-app/server.js',
    'resource-server/server.js',
    'single-page-app/app.js',
    'device/device.js',
    'mcp-server/server.js',
    'mcp-server/client.js',
  ])('%s has less than a hundred lines', (file) =>
    expect(readFileSync(`examples/${file}`, 'utf8').trimEnd().split('\n').length).toBeLessThan(100),
  );
});
