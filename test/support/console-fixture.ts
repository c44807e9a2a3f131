import type { Settings } from '../../src/config/settings.js';
import type { HostedAnswer, HostedBrowser } from './hosted-page.js';
import { contentToken, visitConsole } from './console-visitor.js';
import { standing } from './form-fields.js';
import { startTestApp, type TestApp } from './test-app.js';
import { freshDatabase, type TestDatabase } from './test-database.js';
import { type TestUser, type TestClient, type TestTenant, World } from './world.js';

/** A service with a tenant, its admin in the console, and an app of it. */
export class ConsoleFixture {
  private constructor(
    readonly service: TestApp,
    readonly database: TestDatabase,
    readonly world: World,
    readonly tenant: TestTenant,
    readonly tenantAdmin: TestUser,
    /** In the console as the tenant's admin. */
    readonly browser: HostedBrowser,
  ) {}

  static async open(settings: Partial<Settings> = {}): Promise<ConsoleFixture> {
    const database = await freshDatabase();
    const service = await startTestApp({
      settings: { databaseUrl: database.url, rateLimits: { enabled: false, overrides: {} }, ...settings },
    });
    const world = await World.open(service.baseUrl, database.url);
    const tenant = await world.tenant();
    const admin = await world.tenantAdmin(tenant);
    return new ConsoleFixture(service, database, world, tenant, admin, await visitConsole(world, admin));
  }

  async close(): Promise<void> {
    await this.world.close();
    await this.service.close();
    await this.database.drop();
  }

  /** As the API shows it. */
  async shown(app: TestClient): Promise<Shown> {
    const apps = await this.world.asAdmin<Shown[]>('GET', `/admin/apps?tenant_id=${app.tenantId}`);
    return apps.find(({ id }) => id === app.id)!;
  }

  /** Opens a page and sends a form of it, filled as it stands there but for these fields; null: left out. */
  async fill(path: string, fields: Record<string, string | null>, browser = this.browser): Promise<HostedAnswer> {
    const page = await browser.get(path);
    const filled = { ...standing(page, path), ...fields, form_token: contentToken(page) };
    const sent = Object.entries(filled).filter((entry): entry is [string, string] => entry[1] !== null);
    return browser.post(path, Object.fromEntries(sent));
  }

  /** Presses a button that has its own form. */
  async press(from: string, action: string, browser = this.browser): Promise<HostedAnswer> {
    return browser.post(action, { form_token: contentToken(await browser.get(from)) });
  }
}

export interface Shown {
  readonly id: string;
  readonly name: string;
  readonly bundle_id: string;
  readonly is_active: boolean;
  readonly archived_at: string | null;
  readonly registration_policy: string;
  readonly service_scopes: readonly string[];
  readonly config: Readonly<Record<string, unknown>> & { readonly branding: Readonly<Record<string, unknown>> };
}
