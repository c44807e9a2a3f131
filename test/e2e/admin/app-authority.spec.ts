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

describe('Limits of the rights over an app below the tenant', () => {
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
    const admin = await world.user(app, { roles: ['admin'] });
    return {
      /** A token for the app itself. */
      token: (await world.tokens(admin, app.id)).access_token,
      /** A token for the platform Console, where app admins can sign in too. */
      consoleToken: (await world.tokens(admin, world.platformConsoleId)).access_token,
    };
  }

  // security 82
  describe('switching the app on and off', () => {
    it('returns 403 to the app’s own admin, alone or with other changes', async () => {
      const app = await world.app(tenant);
      const { token, consoleToken } = await withAdmin(app);
      for (const bearer of [token, consoleToken])
        for (const body of [{ is_active: false }, { is_active: true }, { name: 'x', is_active: true }]) {
          const answer = await update(app.id, body, bearer);
          expect([body, answer.status, answer.body]).toEqual([body, 403, FORBIDDEN]);
        }
      expect((await update(app.id, { is_active: false }, tenantToken)).body.is_active).toBe(false);
      // The app's own token is invalid now, and a Console token does not switch the app on.
      expect((await update(app.id, { name: 'x' }, token)).status).toBe(401);
      expect((await update(app.id, { is_active: true }, consoleToken)).status).toBe(403);
      expect((await update(app.id, { is_active: true }, tenantToken)).body.is_active).toBe(true);
    });

    it('returns 403 to a service token', async () => {
      const provisioner = await world.app(tenant, withTenantScopes('apps:write'));
      const app = await world.app(tenant);
      await update(app.id, { is_active: false }, tenantToken);
      const token = await world.serviceToken(provisioner, 'apps:write');
      for (const is_active of [true, false])
        expect((await update(app.id, { is_active }, token)).body).toEqual(FORBIDDEN);
      expect((await update(app.id, { name: 'Renamed' }, token)).body.is_active).toBe(false);
    });

    it('is refused to all operators of the tenant and to platform admins while the tenant is switched off', async () => {
      const own = await world.tenant();
      const app = await world.app(own);
      const { token, consoleToken } = await withAdmin(app);
      const turn = (on: boolean) => world.asAdmin('PATCH', `/admin/tenants/${own.id}`, { is_active: on });
      await turn(false);
      expect((await update(app.id, { name: 'x' }, token)).status).toBe(401);
      // They administer nothing else, so the Console no longer admits them.
      expect((await update(app.id, { name: 'x' }, consoleToken)).status).toBe(401);
      const on = await update(app.id, { is_active: true }, world.admin.token);
      expect([on.status, on.body]).toEqual([409, { detail: 'Tenant is not active' }]);
      expect((await update(app.id, { name: 'Still possible' }, world.admin.token)).status).toBe(200);
      await turn(true);
      expect((await update(app.id, {}, world.admin.token)).body.is_active).toBe(true);
    });
  });

  // security 72, 73; docs/decisions/0015
  describe('client secrets and scopes of the whole tenant', () => {
    it('scopes are refused with 409 after the app’s admin regenerated the secret, until the tenant regenerates it', async () => {
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
      // From now on the app's admin cannot regenerate the secret.
      expect((await regenerate(app.id, token)).status).toBe(403);
    });

    it('scopes are refused with 409 after a new secret of the app’s admin, even if the app had the scopes before', async () => {
      const app = await world.app(tenant, withTenantScopes('apps:read'));
      const { token } = await withAdmin(app);
      expect((await regenerate(app.id, token)).status).toBe(403);
      await update(app.id, { service_scopes: DEFAULT_SCOPES }, tenantToken);
      expect((await regenerate(app.id, token)).status).toBe(200);
      expect((await update(app.id, withTenantScopes('apps:read'), tenantToken)).body).toEqual(REGENERATE);
    });

    it('scopes are granted at once if only the tenant has seen the secret', async () => {
      const app = await world.app(tenant);
      await withAdmin(app);
      expect((await update(app.id, withTenantScopes('apps:write'), tenantToken)).status).toBe(200);
      expect(await world.serviceToken(app, 'apps:write')).toMatch(/^ey/);
    });

    it('only one request succeeds if a new secret and a scope grant come at the same time', async () => {
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
  it('a service token gets 403 for assigning admin or manager roles automatically', async () => {
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

  it('a service token gets 403 for letting all users join an app that gives them authority', async () => {
    const token = await world.serviceToken(await world.app(tenant, withTenantScopes('apps:write')), 'apps:write');
    const app = await world.app(tenant, { config: { auto_assign_roles: ['user', 'manager'] } });
    const open = { registration_policy: 'open' };
    expect((await update(app.id, open, token)).body).toEqual(FORBIDDEN);
    const planned = { effective_at: new Date(Date.now() + 3_600_000).toISOString(), change: open };
    const path = `/admin/apps/${app.id}/scheduled-changes`;
    expect((await world.call('POST', path, planned, { token })).body).toEqual(FORBIDDEN);
    expect((await update(app.id, { registration_policy: 'approval' }, token)).status).toBe(200);
    const without = { ...open, config: { auto_assign_roles: ['user'] } };
    expect((await update(app.id, without, token)).body).toMatchObject(open);
    const opened = await world.app(tenant, { ...open, config: { auto_assign_roles: ['user', 'admin'] } });
    expect((await update(opened.id, { ...open, name: 'Unchanged policy' }, token)).status).toBe(200);
  });

  it('a scope that is sent twice is saved once', async () => {
    const app = await world.app(tenant);
    const answer = await update(app.id, { service_scopes: ['push:send', 'push:send'] }, tenantToken);
    expect(answer.body.service_scopes).toEqual(['push:send']);
  });
});
