import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type TestClient, type TestTenant, unique, World } from '../../support/world.js';

const REGENERATE = { detail: 'Regenerate the client secret first' };
const FORBIDDEN = { detail: 'Insufficient permissions' };
const DEFAULT_SCOPES = ['push:send', 'users:read', 'users:create', 'invites:create'];

interface AppBody {
  detail?: unknown;
  is_active: boolean;
  service_scopes: string[];
}

describe('What below the tenant may be done with an app', () => {
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let tenantToken: string;

  beforeAll(async () => {
    service = await startTestApp({ settings: { rateLimits: { enabled: false, overrides: {} } } });
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    tenant = await world.tenant();
    tenantToken = (await world.tokens(await world.tenantAdmin(tenant), tenant.consoleAppId)).access_token;
  });

  afterAll(async () => {
    await world.close();
    await service.close();
  });

  const update = (id: string, body: object, token: string) =>
    world.call<AppBody>('PUT', `/admin/apps/${id}`, body, { token });
  const regenerate = (id: string, token: string) =>
    world.call<{ client_secret: string }>('PUT', `/admin/apps/${id}/secret`, undefined, { token });
  const withTenantScopes = (...scopes: string[]) => ({ service_scopes: [...DEFAULT_SCOPES, ...scopes] });

  async function withAdmin(app: TestClient) {
    const admin = await world.person(app, { roles: ['admin'] });
    return {
      /** For the app itself. */
      token: (await world.tokens(admin, app.id)).access_token,
      /** For the platform Console, where they may sign in as well. */
      consoleToken: (await world.tokens(admin, world.platformConsoleId)).access_token,
    };
  }

  // security 82
  describe('is not to switch it', () => {
    it('by its own admin, on or off, alone or within other changes', async () => {
      const app = await world.app(tenant);
      const { token, consoleToken } = await withAdmin(app);
      for (const bearer of [token, consoleToken])
        for (const body of [{ is_active: false }, { is_active: true }, { name: 'x', is_active: true }]) {
          const answer = await update(app.id, body, bearer);
          expect([body, answer.status, answer.body]).toEqual([body, 403, FORBIDDEN]);
        }
      expect((await update(app.id, { is_active: false }, tenantToken)).body.is_active).toBe(false);
      // Off is off: the app's own token is dead, and the Console's does not bring it back.
      expect((await update(app.id, { name: 'x' }, token)).status).toBe(401);
      expect((await update(app.id, { is_active: true }, consoleToken)).status).toBe(403);
      expect((await update(app.id, { is_active: true }, tenantToken)).body.is_active).toBe(true);
    });

    it('by a service token', async () => {
      const provisioner = await world.app(tenant, withTenantScopes('apps:write'));
      const app = await world.app(tenant);
      await update(app.id, { is_active: false }, tenantToken);
      const token = await world.serviceToken(provisioner, 'apps:write');
      for (const is_active of [true, false])
        expect((await update(app.id, { is_active }, token)).body).toEqual(FORBIDDEN);
      expect((await update(app.id, { name: 'Renamed' }, token)).body.is_active).toBe(false);
    });

    it('while its tenant is off: nobody of the tenant may do anything, and a platform admin not switch it on', async () => {
      const own = await world.tenant();
      const app = await world.app(own);
      const { token, consoleToken } = await withAdmin(app);
      const turn = (on: boolean) => world.asAdmin('PATCH', `/admin/tenants/${own.id}`, { is_active: on });
      await turn(false);
      expect((await update(app.id, { name: 'x' }, token)).status).toBe(401);
      // Nothing else is theirs, so the Console does not let them in any more.
      expect((await update(app.id, { name: 'x' }, consoleToken)).status).toBe(401);
      const on = await update(app.id, { is_active: true }, world.admin.token);
      expect([on.status, on.body]).toEqual([409, { detail: 'Tenant is not active' }]);
      expect((await update(app.id, { name: 'Still possible' }, world.admin.token)).status).toBe(200);
      await turn(true);
      expect((await update(app.id, {}, world.admin.token)).body.is_active).toBe(true);
    });
  });

  // security 72, 73; docs/decisions/0015
  describe('is not to make its secret a key to the tenant', () => {
    it('after its admin had made the secret: the grant waits until the tenant has made another', async () => {
      const app = await world.app(tenant);
      const { token } = await withAdmin(app);
      const known = (await regenerate(app.id, token)).body.client_secret;
      for (const bearer of [tenantToken, world.admin.token])
        for (const scopes of [['apps:read'], ['apps:write'], ['apps:read', 'apps:write']]) {
          const answer = await update(app.id, withTenantScopes(...scopes), bearer);
          expect([scopes, answer.status, answer.body]).toEqual([scopes, 409, REGENERATE]);
        }
      expect((await update(app.id, { service_scopes: ['push:send'] }, tenantToken)).status).toBe(200);
      const { client_secret } = (await regenerate(app.id, tenantToken)).body;
      const granted = await update(app.id, withTenantScopes('apps:write'), tenantToken);
      expect([granted.status, granted.body.service_scopes]).toEqual([200, [...DEFAULT_SCOPES, 'apps:write']]);
      expect(JSON.stringify(granted.body)).not.toMatch(/secret/);
      expect(await world.serviceToken({ ...app, secret: client_secret }, 'apps:write')).toMatch(/^ey/);
      await expect(world.serviceToken({ ...app, secret: known }, 'apps:write')).rejects.toThrow('invalid_client');
      // And from now on its admin gets to see none.
      expect((await regenerate(app.id, token)).status).toBe(403);
    });

    it('also where the scopes had been held before', async () => {
      const app = await world.app(tenant, withTenantScopes('apps:read'));
      const { token } = await withAdmin(app);
      expect((await regenerate(app.id, token)).status).toBe(403);
      await update(app.id, { service_scopes: DEFAULT_SCOPES }, tenantToken);
      expect((await regenerate(app.id, token)).status).toBe(200);
      expect((await update(app.id, withTenantScopes('apps:read'), tenantToken)).body).toEqual(REGENERATE);
    });

    it('and grants at once where only the tenant has seen the secret', async () => {
      const app = await world.app(tenant);
      await withAdmin(app);
      expect((await update(app.id, withTenantScopes('apps:write'), tenantToken)).status).toBe(200);
      expect(await world.serviceToken(app, 'apps:write')).toMatch(/^ey/);
    });

    it('when both happen at once: whichever comes second is refused', async () => {
      for (let round = 0; round < 8; round++) {
        const app = await world.app(tenant);
        const { token } = await withAdmin(app);
        const [made, granted] = await Promise.all([
          regenerate(app.id, token),
          update(app.id, withTenantScopes('apps:write'), tenantToken),
        ]);
        expect([
          [200, 409],
          [403, 200],
        ]).toContainEqual([made.status, granted.status]);
      }
    });
  });

  // security 73, 80
  it('is not to hand out roles with authority by a service token', async () => {
    const provisioner = await world.app(tenant, withTenantScopes('apps:write'));
    const app = await world.app(tenant);
    const token = await world.serviceToken(provisioner, 'apps:write');
    for (const role of ['admin', 'manager']) {
      const config = { auto_assign_roles: ['user', role] };
      expect((await update(app.id, { registration_policy: 'open', config }, token)).body).toEqual(FORBIDDEN);
      const made = { name: 'x', tenant_id: tenant.id, bundle_id: `com.example.${unique()}`, config };
      expect((await world.call('POST', '/admin/apps', made, { token })).body).toEqual(FORBIDDEN);
    }
    const config = { available_roles: ['user', 'editor'], auto_assign_roles: ['user', 'editor'] };
    expect((await update(app.id, { config }, token)).status).toBe(200);
  });

  it('keeps a scope that is named twice once', async () => {
    const app = await world.app(tenant);
    const answer = await update(app.id, { service_scopes: ['push:send', 'push:send'] }, tenantToken);
    expect(answer.body.service_scopes).toEqual(['push:send']);
  });
});
