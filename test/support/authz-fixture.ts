import type { ActorName } from './authz-matrix.js';
import { type TestUser, PASSWORD, type TestClient, type TestTenant, unique, type World } from './world.js';

const SCOPES = ['push:send', 'users:read', 'users:create', 'invites:create', 'apps:read', 'apps:write'] as const;
export type Scope = (typeof SCOPES)[number];

/** Whose rows a list may show to an actor. */
export interface Reach {
  readonly tenants: readonly string[];
  readonly apps: readonly string[];
}

/** Two tenants with apps and users: one of each column of the authorization matrix, with a token. */
export class AuthzFixture {
  tenant: TestTenant;
  foreignTenant: TestTenant;
  /** `{a}` of the matrix. */
  app: TestClient;
  /** Another app of the same tenant, the one that AA≠ administers. */
  sibling: TestClient;
  foreignApp: TestClient;
  readonly users = new Map<ActorName, TestUser>();
  private readonly tokens = new Map<ActorName, string>();
  /** Where each of them signs in. */
  private readonly doors = new Map<ActorName, string>();
  private readonly serviceTokens = new Map<string, string>();

  private constructor(readonly world: World) {}

  static async build(world: World): Promise<AuthzFixture> {
    const fixture = new AuthzFixture(world);
    const serviceScopes = { service_scopes: SCOPES };
    fixture.tenant = await world.tenant();
    fixture.foreignTenant = await world.tenant();
    fixture.app = await world.app(fixture.tenant, serviceScopes);
    fixture.sibling = await world.app(fixture.tenant);
    fixture.foreignApp = await world.app(fixture.foreignTenant, serviceScopes);
    await fixture.enter('TA=', await world.tenantAdmin(fixture.tenant), fixture.tenant.consoleAppId);
    await fixture.enter('TA≠', await world.tenantAdmin(fixture.foreignTenant), fixture.foreignTenant.consoleAppId);
    await fixture.enter('AA=', await world.user(fixture.app, { roles: ['admin'] }), fixture.app.id);
    await fixture.enter('AA≠', await world.user(fixture.sibling, { roles: ['admin'] }), fixture.sibling.id);
    await fixture.enter('AM', await world.user(fixture.app, { roles: ['manager'] }), fixture.app.id);
    await fixture.enter('U', await world.user(fixture.app), fixture.app.id);
    fixture.users.set('PA', world.admin);
    fixture.tokens.set('PA', world.admin.token);
    await world.user(fixture.foreignApp);
    for (const client of [fixture.app, fixture.foreignApp]) {
      for (const scope of SCOPES) fixture.serviceTokens.set(client.id + scope, await world.serviceToken(client, scope));
    }
    return fixture;
  }

  /**
   * From here on the two apps hold the default scopes, and of the tenant-wide ones at most this: an app that holds
   * those has other rules for its administrators.
   */
  async holdScope(scope?: Scope): Promise<void> {
    const held = new Set(SCOPES.filter((each) => !each.startsWith('apps:') || each === scope));
    for (const { id } of [this.app, this.foreignApp])
      await this.world.asAdmin('PUT', `/admin/apps/${id}`, { service_scopes: [...held] });
  }

  /** @param scope the one that the route asks for; routes without one are tried with users:read */
  token(actor: ActorName, scope: Scope = 'users:read'): string | undefined {
    switch (actor) {
      case 'S+':
        return this.serviceTokens.get(this.app.id + scope);
      case 'S−':
        return this.serviceTokens.get(this.app.id + (scope === 'push:send' ? 'users:read' : 'push:send'));
      case 'S≠':
        return this.serviceTokens.get(this.foreignApp.id + scope);
      default:
        return this.tokens.get(actor);
    }
  }

  /** Null: everything. */
  reach(actor: ActorName): Reach | null {
    const { app, sibling, foreignApp, tenant, foreignTenant } = this;
    const reaches: Record<ActorName, Reach | null> = {
      PA: null,
      'TA=': { tenants: [tenant.id], apps: [] },
      'TA≠': { tenants: [foreignTenant.id], apps: [] },
      'AA=': { tenants: [], apps: [app.id] },
      'AA≠': { tenants: [], apps: [sibling.id] },
      AM: { tenants: [], apps: [app.id] },
      U: { tenants: [], apps: [] },
      'S+': { tenants: [], apps: [app.id] },
      'S−': { tenants: [], apps: [] },
      'S≠': { tenants: [], apps: [foreignApp.id] },
      '∅': { tenants: [], apps: [] },
    };
    return reaches[actor];
  }

  /** A user of `{a}` for this request alone. */
  target(): Promise<TestUser> {
    return this.world.user(this.app);
  }

  newUser(): Record<string, unknown> {
    return { email: `new-${unique()}@example.com`, display_name: 'New', password: PASSWORD };
  }

  private async enter(actor: ActorName, user: TestUser, appId: string): Promise<void> {
    this.users.set(actor, user);
    this.doors.set(actor, appId);
    await this.signInAgain(actor);
  }

  /** A new token for a user whose own act has ended the one that they had. */
  async signInAgain(actor: ActorName): Promise<void> {
    if (actor === 'PA') return void this.tokens.set(actor, await this.world.signInAgain());
    const { access_token } = await this.world.tokens(this.users.get(actor)!, this.doors.get(actor)!);
    this.tokens.set(actor, access_token);
  }
}
