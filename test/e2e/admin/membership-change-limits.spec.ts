import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type TestClient, type TestTenant, type TestUser, World } from '../../support/world.js';

const REFUSED = [429, { detail: 'too_many_requests' }];

/** Each change writes an audit entry, which cannot be deleted. */
describe('Changes of members and invites', () => {
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;
  let member: TestUser;

  beforeAll(async () => {
    const overrides = { membership_changes: { points: 2, seconds: 3_600 } };
    service = await startTestApp({ settings: { rateLimits: { enabled: true, overrides } } });
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
  });

  beforeEach(async () => {
    tenant = await world.tenant();
    app = await newApp();
    member = await world.user(app);
  });

  const newApp = (of = tenant) =>
    world.app(of, {
      service_scopes: ['invites:create'],
      config: { available_roles: ['user', 'editor', 'manager', 'admin'] },
    });
  const operator = async (role: 'admin' | 'manager', of = app) => {
    const user = await world.user(of, { roles: ['user', role] });
    return (await world.tokens(user, of.id)).access_token;
  };
  const tenantAdmin = async (of = tenant) =>
    (await world.tokens(await world.tenantAdmin(of), of.consoleAppId)).access_token;
  const act = (token: string, verb: 'suspend' | 'reactivate', at = app, user = member) =>
    verb === 'suspend'
      ? world.call('POST', `/admin/users/${user.id}/suspend`, { app_id: at.id }, { token })
      : world.call('PUT', `/admin/users/${user.id}/apps/${at.id}/reactivate`, undefined, { token });
  const setRoles = (token: string, ...roles: string[]) =>
    world.call('PUT', `/admin/users/${member.id}/roles`, { app_id: app.id, roles }, { token });
  const invite = (token: string, at = app) =>
    world.call<{ id: string }>('POST', `/admin/apps/${at.id}/invites`, {}, { token });

  async function useUp(token: string): Promise<void> {
    expect((await act(token, 'suspend')).status).toBe(200);
    expect((await act(token, 'reactivate')).status).toBe(200);
  }

  it('are limited for all admins of an app together, and not for other apps', async () => {
    await useUp(await operator('admin'));
    const token = await operator('admin');
    const refused = await act(token, 'suspend');
    expect([refused.status, refused.body]).toEqual(REFUSED);
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(3_000);
    const other = await newApp();
    expect((await act(await operator('admin', other), 'suspend', other, await world.user(other))).status).toBe(200);
  });

  it('include roles, removals and invites', async () => {
    const made = await world.asAdmin<{ id: string }>('POST', `/admin/apps/${app.id}/invites`, {});
    const token = await operator('admin');
    await useUp(token);
    const { length } = await world.asAdmin<unknown[]>('GET', `/admin/audit?app_id=${app.id}`);
    for (const refused of [
      await setRoles(token, 'editor'),
      await world.call('DELETE', `/admin/users/${member.id}?app_id=${app.id}`, undefined, { token }),
      await invite(token),
      await world.call('DELETE', `/admin/invites/${made.id}`, undefined, { token }),
      await world.call('POST', `/admin/invites/${made.id}/resend`, undefined, { token }),
    ])
      expect([refused.status, refused.body]).toEqual(REFUSED);
    expect(await world.asAdmin('GET', `/admin/audit?app_id=${app.id}`)).toHaveLength(length);
  });

  it('do not include roles that are set already', async () => {
    const token = await operator('admin');
    for (let n = 0; n < 4; n++) expect((await setRoles(token, 'user', 'editor')).status).toBe(200);
    expect((await setRoles(token, 'user')).status).toBe(200);
    expect((await setRoles(token, 'editor')).status).toBe(429);
  });

  it('by admins of the tenant are counted separately, and those by platform admins not at all', async () => {
    await useUp(await operator('admin'));
    const above = await tenantAdmin();
    await useUp(above);
    expect((await act(above, 'suspend')).status).toBe(429);
    for (let n = 0; n < 2; n++) await useUp(world.admin.token);
  });

  it('by managers and servers are counted for each of them, so that admins can still remove members', async () => {
    const callers = [
      await operator('manager'),
      await operator('manager'),
      await world.serviceToken(app, 'invites:create'),
    ];
    for (const token of callers)
      for (const status of [201, 201, 429]) expect((await invite(token)).status).toBe(status);
    await useUp(await operator('admin'));
  });

  it('have ten times the limit for all apps of a tenant together', async () => {
    const apps: TestClient[] = [];
    for (let n = 0; n < 11; n++) apps.push(await newApp());
    const tokens = await Promise.all(apps.map((each) => world.serviceToken(each, 'invites:create')));
    for (let n = 0; n < 20; n++) expect((await invite(tokens[n % 10]!, apps[n % 10])).status).toBe(201);
    expect((await invite(tokens[10]!, apps[10])).status).toBe(429);
    await useUp(await tenantAdmin());
  });

  it('by callers without authority are not counted', async () => {
    const foreign = await world.tenant();
    const elsewhere = await newApp();
    const strangers = [
      await tenantAdmin(foreign),
      await operator('admin', elsewhere),
      await world.serviceToken(elsewhere, 'invites:create'),
    ];
    for (const token of strangers) for (let n = 0; n < 3; n++) expect((await invite(token)).status).toBe(403);
    await useUp(await operator('admin'));
  });
});
