import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { Settings } from '../../src/config/settings.js';
import { AppServer } from './app-server.js';
import { openBrowser } from './chromium.js';
import { startTestApp, type TestApp } from './test-app.js';
import { freshDatabase, sharedDatabaseUrl, type TestDatabase } from './test-database.js';
import { type TestUser, type TestClient, World } from './world.js';

export type FixtureOptions = Partial<Settings> & {
  /** Where the service must send its notices itself: others on the shared database would take them. */
  readonly ownDatabase?: boolean;
};

/**
 * What every real client is tried with: one service, one browser and one app server for the whole file, and a user of
 * its own for each test, in a browser profile of its own.
 */
export class ClientFixture {
  service: TestApp;
  world: World;
  browser: Browser;
  app: AppServer;
  client: TestClient;
  user: TestUser;
  context: BrowserContext;
  page: Page;

  private database: TestDatabase | null = null;

  async open({ ownDatabase, ...settings }: FixtureOptions): Promise<void> {
    this.database = ownDatabase ? await freshDatabase() : null;
    const databaseUrl = this.database?.url ?? sharedDatabaseUrl();
    const starting = [
      startTestApp({ settings: { databaseUrl, ...settings } }),
      openBrowser(),
      AppServer.start(),
    ] as const;
    [this.service, this.browser, this.app] = await Promise.all(starting);
    this.world = await World.open(this.issuer, databaseUrl);
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.world.close();
    await Promise.all([this.service.close(), this.app.close()]);
    await this.database?.drop();
  }

  get issuer(): string {
    return this.service.baseUrl;
  }

  /** The app as an operator sets it up. The paths are those of the app server. */
  async register(callback: string, goodbye: string, config: Record<string, unknown> = {}): Promise<TestClient> {
    const redirectUri = `${this.app.origin}${callback}`;
    const post_logout_redirect_uris = [`${this.app.origin}${goodbye}`];
    const made = await this.world.app(await this.world.tenant(), {
      config: { redirect_uris: [redirectUri], post_logout_redirect_uris, ...config },
    });
    this.client = { ...made, redirectUri };
    return this.client;
  }

  async begin(): Promise<void> {
    this.user = await this.world.user(this.client);
    this.context = await this.browser.newContext({ reducedMotion: 'reduce' });
    this.page = await this.context.newPage();
  }

  /** On the hosted page, wherever it is shown. */
  async fillIn(page = this.page): Promise<void> {
    await page.fill('#email', this.user.email);
    await page.fill('#password', this.user.password);
    await page.click('button.wide:not(.quiet)');
  }

  /** What a page of the app says in JSON. */
  async json(): Promise<Record<string, unknown>> {
    return JSON.parse(await this.page.locator('body').innerText()) as Record<string, unknown>;
  }

  /** The sign-ins of the user that are alive: what a refresh that went wrong would have ended. */
  async liveSignIns(): Promise<number> {
    const rows = await this.world.sql('SELECT 1 FROM refresh_families WHERE user_id = $1 AND revoked_at IS NULL', [
      this.user.id,
    ]);
    return rows.length;
  }
}

/** The fixture of one file; `prepare` registers the app and mounts the library. */
export function onClientFixture(
  prepare: (fixture: ClientFixture) => Promise<void>,
  options: FixtureOptions = {},
): ClientFixture {
  const fixture = new ClientFixture();
  beforeAll(async () => {
    await fixture.open(options);
    await prepare(fixture);
  });
  afterAll(() => fixture.close());
  beforeEach(() => fixture.begin());
  afterEach(() => fixture.context.close());
  return fixture;
}
