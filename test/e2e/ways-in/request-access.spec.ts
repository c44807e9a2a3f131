import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bearer, said } from '../../support/invites.js';
import { judged } from '../../support/judged.js';
import { signUpUser, ssoCookieOf } from '../../support/new-user.js';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { type TestUser, type TestClient, type TestTenant, World } from '../../support/world.js';

describe('POST /auth/request-access', () => {
  let service: SharedTestApp;
  let world: World;
  let tenant: TestTenant;
  let home: TestClient;
  let approval: TestClient;

  beforeAll(async () => {
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    tenant = await world.tenant();
    home = await world.app(tenant, { registration_policy: 'open' });
    approval = await world.app(tenant, {
      registration_policy: 'approval',
      config: { available_roles: ['user', 'guest'], auto_assign_roles: ['user', 'guest'] },
    });
  });

  afterAll(() => world.close());

  const ask = async (user: TestUser, app: { id: string }, fields: object = {}, more: Record<string, string> = {}) => {
    const Cookie = ssoCookieOf(await world.login(user, home.id))!;
    return world.call('POST', '/auth/request-access', { app_id: app.id, ...fields }, { headers: { Cookie, ...more } });
  };
  const enrollments = (user: TestUser, app: { id: string }) =>
    world.sql('SELECT status, roles FROM enrollments WHERE user_id = $1 AND app_id = $2', [user.id, app.id]);
  const audited = (user: TestUser, app: { id: string }) =>
    world.sql(
      `SELECT action, metadata FROM audit_entries WHERE user_id = $1 AND app_id = $2 AND action LIKE 'enrollment.%'`,
      [user.id, app.id],
    );

  it('makes the user wait with their message at an app with the policy approval', async () => {
    const user = await world.user(home);
    expect(said(await ask(user, approval, { message: ' I am the new one from sales. ' }))).toEqual([
      200,
      { status: 'pending' },
    ]);
    expect(await enrollments(user, approval)).toEqual([{ status: 'pending', roles: ['user', 'guest'] }]);
    expect(await audited(user, approval)).toEqual([
      {
        action: 'enrollment.pending',
        metadata: { roles: ['user', 'guest'], by: 'request', message: 'I am the new one from sales.' },
      },
    ]);
    expect(said(await world.login(user, approval.id))).toEqual([403, { detail: 'You do not have access' }]);
  });

  it('sent again returns the same and changes nothing', async () => {
    const user = await world.user(home);
    for (let time = 0; time < 3; time++) expect((await ask(user, approval)).body).toEqual({ status: 'pending' });
    expect(await audited(user, approval)).toHaveLength(1);
  });

  it('sent many times at once creates one enrollment and one audit entry', async () => {
    const user = await world.user(home);
    const Cookie = ssoCookieOf(await world.login(user, home.id))!;
    const answers = await Promise.all(
      Array.from({ length: 16 }, () =>
        world.call('POST', '/auth/request-access', { app_id: approval.id }, { headers: { Cookie } }),
      ),
    );
    for (const answer of judged(answers)) expect(said(answer)).toEqual([200, { status: 'pending' }]);
    expect(await audited(user, approval)).toHaveLength(1);
  });

  it('enrolls the user at an open app', async () => {
    const user = await world.user(home);
    const open = await world.app(tenant, { registration_policy: 'open' });
    expect(said(await ask(user, open))).toEqual([200, { status: 'active' }]);
    expect((await world.login(user, open.id)).status).toBe(200);
    expect(await audited(user, open)).toEqual([
      { action: 'enrollment.created', metadata: { roles: ['user'], by: 'request' } },
    ]);
  });

  it('tells a member that they are already enrolled', async () => {
    const user = await world.user(home);
    expect(said(await ask(user, home))).toEqual([200, { status: 'active' }]);
  });

  // security 80
  it('requires a code at an app with the policy invite, and at every Console', async () => {
    const user = await world.user(home);
    const invite = await world.app(tenant);
    await world.sql(`UPDATE apps SET registration_policy = 'open' WHERE id = $1`, [tenant.consoleAppId]);
    for (const id of [invite.id, tenant.consoleAppId, world.platformConsoleId]) {
      expect(said(await ask(user, { id }))).toEqual([400, { detail: 'This app requires an invite code' }]);
      expect(await enrollments(user, { id })).toEqual([]);
    }
  });

  it('rejects a user suspended in the app', async () => {
    const user = await world.user(home);
    await world.asAdmin('PUT', `/admin/users/${user.id}/roles`, { app_id: approval.id, roles: [] });
    await world.asAdmin('POST', `/admin/users/${user.id}/suspend`, { app_id: approval.id });
    expect(said(await ask(user, approval))).toEqual([403, { detail: 'Account suspended' }]);
  });

  it('returns 400 for an unknown app or one that is off', async () => {
    const user = await world.user(home);
    const off = await world.app(tenant, { registration_policy: 'open' });
    await world.asAdmin('PUT', `/admin/apps/${off.id}`, { is_active: false });
    for (const id of ['00000000-0000-4000-8000-000000000000', off.id])
      expect(said(await ask(user, { id }))).toEqual([400, { detail: 'Invalid app_id' }]);
  });

  it('requires the SSO session, and rejects a bearer token', async () => {
    const user = await signUpUser(world, home);
    const ways: Record<string, string>[] = [{}, bearer(user.tokens.access_token), { Cookie: 'sso=nonsense' }];
    for (const headers of ways)
      expect(said(await world.call('POST', '/auth/request-access', { app_id: approval.id }, { headers }))).toEqual([
        401,
        { detail: 'Not authenticated' },
      ]);
  });

  it('is rejected from a page of another origin', async () => {
    const user = await world.user(home);
    const foreign: Record<string, string>[] = [{ Origin: 'https://evil.example' }, { 'Sec-Fetch-Site': 'same-site' }];
    for (const headers of foreign) expect((await ask(user, approval, {}, headers)).status).toBe(403);
    expect(await enrollments(user, approval)).toEqual([]);
  });

  it('accepts a message of at most 1000 characters', async () => {
    const user = await world.user(home);
    expect((await ask(user, approval, { message: 'x'.repeat(1001) })).status).toBe(422);
    expect((await ask(user, approval, { message: '🙂'.repeat(1000) })).status).toBe(200);
  });
});
