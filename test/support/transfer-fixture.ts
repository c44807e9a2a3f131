import { startTestApp, type TestApp, type TestAppOptions } from './test-app.js';
import { freshDatabase, type TestDatabase } from './test-database.js';
import { type Answer, World } from './world.js';

export interface ImportedUsers {
  readonly created: number;
  readonly enrolled: number;
  readonly unchanged: { readonly email: string; readonly reason: string }[];
}

export interface ImportedApp {
  readonly id: string;
  readonly tenant_id: string;
  readonly name: string;
  readonly bundle_id: string;
  readonly bundle_id_kept: boolean;
  readonly client_secret: string;
  readonly users: ImportedUsers;
}

export interface ImportedTenant {
  readonly id: string;
  readonly slug: string;
  readonly console_app_id: string;
  readonly apps: Omit<ImportedApp, 'users'>[];
  readonly users: ImportedUsers;
}

export interface DocumentUser {
  readonly email: string;
  readonly display_name: string;
  readonly email_verified: boolean;
  readonly password_hash?: string | null;
  readonly roles: string[];
  readonly status: string;
  readonly linked_accounts: object[];
}

export interface AppDocument {
  readonly format: string;
  readonly version: number;
  readonly exported_at: string;
  readonly app: Record<string, unknown>;
  readonly users?: DocumentUser[];
}

export interface TenantDocument {
  readonly format: string;
  readonly version: number;
  readonly exported_at: string;
  readonly tenant: Record<string, unknown>;
  readonly apps: (Record<string, unknown> & { users?: DocumentUser[] })[];
}

export interface Fault {
  readonly loc: (string | number)[];
  readonly msg: string;
  readonly type: string;
}

/** A service with its own database, and the four routes of export and import as calls. */
export class TransferFixture {
  private constructor(
    readonly database: TestDatabase,
    readonly service: TestApp,
    readonly world: World,
  ) {}

  static async open(settings: TestAppOptions['settings'] = {}): Promise<TransferFixture> {
    const database = await freshDatabase();
    const service = await startTestApp({
      settings: { databaseUrl: database.url, rateLimits: { enabled: false, overrides: {} }, ...settings },
    });
    return new TransferFixture(database, service, await World.open(service.baseUrl, database.url));
  }

  async close(): Promise<void> {
    await this.world.close();
    await this.service.close();
    await this.database.drop();
  }

  importApp<Body = ImportedApp>(body: unknown, token = this.world.admin.token, query = ''): Promise<Answer<Body>> {
    return this.world.call<Body>('POST', `/admin/apps/import${query}`, body, { token });
  }

  importTenant<Body = ImportedTenant>(
    body: unknown,
    token = this.world.admin.token,
    query = '',
  ): Promise<Answer<Body>> {
    return this.world.call<Body>('POST', `/admin/tenants/import${query}`, body, { token });
  }

  exportApp(id: string, query = '?include_users=true'): Promise<AppDocument> {
    return this.world.asAdmin('GET', `/admin/apps/${id}/export${query}`);
  }

  exportTenant(id: string, query = '?include_users=true'): Promise<TenantDocument> {
    return this.world.asAdmin('GET', `/admin/tenants/${id}/export${query}`);
  }

  async faults(answer: Promise<Answer<unknown>>): Promise<Fault[]> {
    const { status, body } = await answer;
    if (status !== 422) throw new Error(`Not 422: ${status} ${JSON.stringify(body)}`);
    return (body as { detail: Fault[] }).detail;
  }
}

/** What a second export of the same content must equal. */
export function withoutTime<Document extends { exported_at: string }>(
  document: Document,
): Omit<Document, 'exported_at'> {
  const { exported_at: _, ...rest } = document;
  return rest;
}
